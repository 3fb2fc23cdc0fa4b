package referee

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The generated package has the comments that its compiler leaves, and programs are no packages to import.
var undocumentedFolders = []string{"refereev1", "generate", "cmd", "bin"}

func TestEachExportedNameIsDocumented(t *testing.T) {
	declarations := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(undocumentedFolders, path):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, declaration := range file.Decls {
			declarations++
			for _, name := range undocumented(declaration) {
				t.Errorf("%s: %s has no comment", path, name)
			}
		}
		return nil
	})
	if err != nil || declarations < 200 {
		t.Errorf("%d declarations, error %v", declarations, err)
	}
}

// undocumented returns the exported names of a declaration that have no comment.
func undocumented(declaration ast.Decl) []string {
	var names []string
	note := func(name *ast.Ident, comments ...*ast.CommentGroup) {
		for _, comment := range comments {
			if comment.Text() != "" {
				return
			}
		}
		if name.IsExported() {
			names = append(names, name.Name)
		}
	}
	switch declared := declaration.(type) {
	case *ast.FuncDecl:
		if declared.Recv == nil || receiver(declared).IsExported() {
			note(declared.Name, declared.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range declared.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				note(spec.Name, declared.Doc, spec.Doc)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					note(name, declared.Doc, spec.Doc)
				}
			}
		}
	}
	return names
}

// receiver returns the name of the type of a method.
func receiver(method *ast.FuncDecl) (name *ast.Ident) {
	ast.Inspect(method.Recv.List[0].Type, func(node ast.Node) bool {
		if found, ok := node.(*ast.Ident); ok && name == nil {
			name = found
		}
		return true
	})
	return name
}
