"""Generated from `proto/referee_api/v1`: one `*_pb2` module a file, one `*_pb2_grpc` module a service."""
