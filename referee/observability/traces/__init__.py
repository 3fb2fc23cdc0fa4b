"""OpenTelemetry tracing. Imported only if tracing is enabled: see `observability.tracing`.

- `trace_provider`: tracer provider, exporter and wrappers of one server
- `trace_interceptor`: spans of calls and of the answers within a stream
- `traced_runner`: spans of decisions, appends and announcements of matches
"""
