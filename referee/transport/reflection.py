"""Server reflection, versions v1 and v1alpha, which differ only in the name of their package.

grpcio-reflection implements only v1alpha, and does not find methods by name, as `grpcurl describe` needs.
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
"""Typed as Any, because the stubs omit its base class."""


class Reflection(Servicer):  # type: ignore[misc]  # The base class is Any.
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
    """Serve descriptions of these services, and of reflection itself."""
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
    """Add the file of v1 to the default descriptor pool, so that v1 can describe itself."""
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
    file.ClearField("options")  # They are options of code generators.
    descriptor_pool.Default().AddSerializedFile(file.SerializeToString())
