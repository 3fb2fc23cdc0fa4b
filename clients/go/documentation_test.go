package referee

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

func TestEachExportedNameIsDocumented(t *testing.T) {
	documented := 0
	note := func(comment string, names ...string) {
		if documented++; comment == "" {
			t.Errorf("%v has no comment", names)
		}
	}
	for _, folder := range []string{".", "program"} {
		found := documentationOf(t, folder)
		kinds := append(found.Types, &doc.Type{Consts: found.Consts, Vars: found.Vars, Funcs: found.Funcs, Doc: found.Doc})
		for _, kind := range kinds {
			note(kind.Doc, kind.Name)
			for _, function := range append(kind.Funcs, kind.Methods...) {
				note(function.Doc, kind.Name, function.Name)
			}
			for _, values := range append(kind.Consts, kind.Vars...) {
				note(values.Doc, values.Names...)
			}
		}
	}
	if documented < 60 {
		t.Errorf("only %d names were found", documented)
	}
}

func documentationOf(t *testing.T, folder string) *doc.Package {
	t.Helper()
	set := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	var files []*ast.File
	for _, path := range paths {
		file, parseErr := parser.ParseFile(set, path, nil, parser.ParseComments)
		if parseErr != nil {
			t.Fatal(parseErr)
		}
		files = append(files, file)
	}
	found, docErr := doc.NewFromFiles(set, files, folder)
	if err != nil || docErr != nil {
		t.Fatal(err, docErr)
	}
	return found
}
