package main

import (
	"encoding/json"
	"runtime/metrics"

	"referee.example/edge/internal/connections"
	"referee.example/edge/internal/forward"
)

// memory has the names of what the process has mapped, and of what it has given back of that.
var memory = []string{"/memory/classes/total:bytes", "/memory/classes/heap/released:bytes"}

// counts returns what the server exports as metrics, which referee/observability/metrics.py describes, as JSON.
func counts(limiter *connections.Limiter, forwarder *forward.Forwarder) []byte {
	used := []metrics.Sample{{Name: memory[0]}, {Name: memory[1]}}
	metrics.Read(used)
	encoded, _ := json.Marshal(map[string]int64{
		"open_connections":          int64(limiter.Open()),
		"connections_total":         limiter.Accepted.Load(),
		"connections_refused_total": limiter.Refused.Load(),
		"connections_silent_total":  limiter.Silent.Load(),
		"connections_idle_total":    limiter.Idle.Load(),
		"connections_unread_total":  limiter.Unread.Load(),
		"open_calls":                forwarder.Open.Load(),
		"calls_total":               forwarder.Calls.Load(),
		"calls_refused_total":       forwarder.Refused.Load(),
		"memory_bytes":              int64(used[0].Value.Uint64() - used[1].Value.Uint64()),
	})
	return encoded
}
