// Generate makes the stubs from the contract. protocompile reads it in Go, so that no protoc is needed.
package main

import (
	"bytes"
	"context"
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
	contract = "../../proto"
	pack     = "referee_api/v1"
	module   = "referee"
	stubs    = module + "/refereev1"
)

func main() {
	log.SetFlags(0)
	names := contractFiles()
	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: names,
		Parameter:      proto.String(parameter(names)),
		ProtoFile:      compiled(names),
	}
	for _, plugin := range []string{"protoc-gen-go", "protoc-gen-go-grpc"} {
		for _, file := range made(plugin, request) {
			must(os.MkdirAll(filepath.Dir(file.GetName()), 0o755))
			put(file.GetName(), file.GetContent())
		}
	}
}

// put leaves no moment at which the file is there in part: somebody else may be building with it.
func put(name, content string) {
	part := fmt.Sprintf("%s.%d", name, os.Getpid())
	must(os.WriteFile(part, []byte(content), 0o644))
	must(os.Rename(part, name))
}

func contractFiles() []string {
	names, err := filepath.Glob(filepath.Join(contract, pack, "*.proto"))
	must(err)
	for i, name := range names {
		names[i] = pack + "/" + filepath.Base(name)
	}
	return names
}

// parameter tells the plugins which package each file goes to: the contract knows nothing of this module.
func parameter(names []string) string {
	parts := []string{"module=" + module}
	for _, name := range names {
		parts = append(parts, "M"+name+"="+stubs)
	}
	return strings.Join(parts, ",")
}

// compiled tells of the files and of all that they import, each after what it imports itself.
func compiled(names []string) []*descriptorpb.FileDescriptorProto {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{contract}}),
		SourceInfoMode: protocompile.SourceInfoStandard, // The comments.
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

// made runs a plugin, which reads a request and writes a response.
func made(plugin string, request *pluginpb.CodeGeneratorRequest) []*pluginpb.CodeGeneratorResponse_File {
	asked, err := proto.Marshal(request)
	must(err)
	command := exec.Command("go", "tool", plugin)
	command.Stdin = bytes.NewReader(asked)
	command.Stderr = os.Stderr
	answered, err := command.Output()
	must(err)
	var response pluginpb.CodeGeneratorResponse
	must(proto.Unmarshal(answered, &response))
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
