"""OpenTelemetry's traces of this house. Imported only where they are wanted: see `telemetry.tracing`."""
