// Generate writes the committed stubs of the client from the contract. Run it in its own folder:
//
//	go run . [FOLDER]
//
// FOLDER defaults to the client's refereev1. The contract is compiled with protocompile, so that no protoc is needed.
// contract.sha256 records what the stubs were generated from.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const (
	contract      = "../../../proto"
	protoPackage  = "referee_api/v1"
	goPackage     = "referee.example/referee/refereev1"
	defaultFolder = "../refereev1"
	checksums     = "contract.sha256"
)

func main() {
	log.SetFlags(0)
	folder := defaultFolder
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	must(os.MkdirAll(folder, 0o755))
	removeStale(folder)
	names := contractFiles()
	var sums strings.Builder
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(contract, name))
		must(err)
		writeSum(&sums, name, content)
	}
	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: names,
		Parameter:      proto.String(parameter(names)),
		ProtoFile:      compile(names),
	}
	for _, plugin := range []string{"protoc-gen-go", "protoc-gen-go-grpc"} {
		for _, file := range runPlugin(plugin, request) {
			content := []byte(file.GetContent())
			writeSum(&sums, file.GetName(), content)
			must(os.WriteFile(filepath.Join(folder, file.GetName()), content, 0o644))
		}
	}
	must(os.WriteFile(filepath.Join(folder, checksums), []byte(sums.String()), 0o644))
}

// removeStale deletes the stubs of an earlier run: a file of the contract may have been renamed.
func removeStale(folder string) {
	names, err := filepath.Glob(filepath.Join(folder, "*.pb.go"))
	must(err)
	for _, name := range names {
		must(os.Remove(name))
	}
}

// writeSum adds a line in the format of sha256sum.
func writeSum(sums *strings.Builder, name string, content []byte) {
	fmt.Fprintf(sums, "%x  %s\n", sha256.Sum256(content), name)
}

func contractFiles() []string {
	names, err := filepath.Glob(filepath.Join(contract, protoPackage, "*.proto"))
	must(err)
	for i, name := range names {
		names[i] = protoPackage + "/" + filepath.Base(name)
	}
	return names
}

// parameter tells the plugins which Go package each file belongs to, since the contract does not name this module.
func parameter(names []string) string {
	parts := []string{"module=" + goPackage}
	for _, name := range names {
		parts = append(parts, "M"+name+"="+goPackage)
	}
	return strings.Join(parts, ",")
}

// compile returns the descriptors of the files and of all their imports, each after its own imports.
func compile(names []string) []*descriptorpb.FileDescriptorProto {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{contract}}),
		SourceInfoMode: protocompile.SourceInfoStandard, // Keeps the comments.
	}
	files, err := compiler.Compile(context.Background(), names...)
	must(err)
	var all []*descriptorpb.FileDescriptorProto
	seen := map[string]bool{}
	var add func(file protoreflect.FileDescriptor)
	add = func(file protoreflect.FileDescriptor) {
		if seen[file.Path()] {
			return
		}
		seen[file.Path()] = true
		for i := range file.Imports().Len() {
			add(file.Imports().Get(i))
		}
		all = append(all, protoutil.ProtoFromFileDescriptor(file))
	}
	for _, file := range files {
		add(file)
	}
	return all
}

// runPlugin sends the request to a plugin and returns the files that it generates.
func runPlugin(plugin string, request *pluginpb.CodeGeneratorRequest) []*pluginpb.CodeGeneratorResponse_File {
	input, err := proto.Marshal(request)
	must(err)
	command := exec.Command("go", "tool", plugin)
	command.Stdin = bytes.NewReader(input)
	command.Stderr = os.Stderr
	output, err := command.Output()
	must(err)
	var response pluginpb.CodeGeneratorResponse
	must(proto.Unmarshal(output, &response))
	if response.Error != nil {
		log.Fatalf("%s: %s", plugin, response.GetError())
	}
	return response.GetFile()
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
