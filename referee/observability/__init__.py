"""Logs, metrics, traces, and the HTTP endpoint for probes and Prometheus.

- `logs`: structured logging, with redaction of secrets
- `metrics`: the registry of all metrics of one server, and gauges that are read at scrape time
- `metric_families`: counters and histograms of plain numbers, which the registry reads at scrape time
- `match_metrics`: metrics of matches, recorded by an observer
- `event_log_metrics`: metrics of the match log and the contest log, and notification of outages
- `rpc_metrics`: metrics of gRPC calls, recorded by an interceptor
- `http_server`: `/healthz`, `/readyz` and `/metrics`
- `tracing`: the interface of tracing, and the implementation that does nothing
- `opentelemetry_tracing`, `traced_runner`: spans of calls, and of decisions; imported only if tracing is on
"""
