package main

import (
	"fmt"
	"net/http"
	"runtime/metrics"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"referee.example/edge/internal/connections"
	"referee.example/edge/internal/forward"
)

// memory has the names of what the process has mapped, and of what it has given back of that.
var memory = []string{"/memory/classes/total:bytes", "/memory/classes/heap/released:bytes"}

// pages serves /healthz, and /metrics in the text format of Prometheus.
func pages(server *grpc.ClientConn, limiter *connections.Limiter, forwarder *forward.Forwarder) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(answer http.ResponseWriter, _ *http.Request) {
		if state := server.GetState(); state == connectivity.TransientFailure {
			http.Error(answer, "the server cannot be reached", http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("GET /metrics", func(answer http.ResponseWriter, _ *http.Request) {
		used := []metrics.Sample{{Name: memory[0]}, {Name: memory[1]}}
		metrics.Read(used)
		answer.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		for _, metric := range []struct {
			name, kind, help string
			value            int64
		}{
			{"connections", "gauge", "Open connections.", int64(limiter.Open())},
			{"connections_total", "counter", "Connections of clients.", limiter.Accepted.Load()},
			{"connections_refused_total", "counter", "Connections above a limit.", limiter.Refused.Load()},
			{"connections_silent_total", "counter", "Connections closed because they began no call.", limiter.Silent.Load()},
			{"connections_idle_total", "counter", "Connections closed because too many were idle.", limiter.Idle.Load()},
			{"connections_unread_total", "counter", "Connections closed with an unread answer.", limiter.Unread.Load()},
			{"calls", "gauge", "Open calls.", forwarder.Open.Load()},
			{"calls_total", "counter", "Calls passed on.", forwarder.Calls.Load()},
			{"calls_refused_total", "counter", "Calls refused because too many waited for the server.", forwarder.Refused.Load()},
			{"memory_bytes", "gauge", "Memory of the process.", int64(used[0].Value.Uint64() - used[1].Value.Uint64())},
		} {
			fmt.Fprintf(answer, "# HELP referee_edge_%s %s\n# TYPE referee_edge_%[1]s %[3]s\nreferee_edge_%[1]s %[4]d\n",
				metric.name, metric.help, metric.kind, metric.value)
		}
	})
	return mux
}
