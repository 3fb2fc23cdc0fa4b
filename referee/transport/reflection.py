"""Server reflection, versions v1 and v1alpha, which differ in nothing but the name of their package.

grpcio-reflection has v1alpha alone, and finds no methods by their names, which is what `grpcurl describe` asks for.
"""

from typing import Any

import grpc
from google.protobuf import descriptor_pool
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha import reflection, reflection_pb2

V1ALPHA, V1 = "grpc.reflection.v1alpha", "grpc.reflection.v1"
SERVICE = "ServerReflection"
NAMES = tuple(f"{package}.{SERVICE}" for package in (V1ALPHA, V1))


Servicer: Any = reflection.aio.ReflectionServicer
"""Its types do not know what it inherits."""


class Reflection(Servicer):  # type: ignore[misc]  # See there.
    def _file_containing_symbol(self, request: Any, fully_qualified_name: str) -> Any:
        service, _, method = fully_qualified_name.rpartition(".")
        name = service if self._is_method(service, method) else fully_qualified_name
        return super()._file_containing_symbol(request, name)

    def _is_method(self, service: str, method: str) -> bool:
        try:
            return method in self._pool.FindServiceByName(service).methods_by_name
        except KeyError:
            return False


def add_reflection(services: tuple[str, ...], server: grpc.aio.Server) -> None:
    """Let the server tell of these services, and of reflection itself."""
    _describe_v1()
    servicer = Reflection((*services, *NAMES))
    handler = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        reflection_pb2.ServerReflectionRequest.FromString,
        reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    for name in NAMES:
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(name, {"ServerReflectionInfo": handler}),)
        )


def _describe_v1() -> None:
    """Put the file of v1 into the pool, so that v1 can tell of itself."""
    file = FileDescriptorProto()
    reflection_pb2.DESCRIPTOR.CopyToProto(file)
    file.name = file.name.replace("v1alpha", "v1")
    file.package = V1
    for message in file.message_type:
        for field in message.field:
            if field.HasField("type_name"):
                field.type_name = field.type_name.replace(V1ALPHA, V1)
    for method in file.service[0].method:
        method.input_type = method.input_type.replace(V1ALPHA, V1)
        method.output_type = method.output_type.replace(V1ALPHA, V1)
    file.ClearField("options")  # Of code that is generated.
    descriptor_pool.Default().AddSerializedFile(file.SerializeToString())
