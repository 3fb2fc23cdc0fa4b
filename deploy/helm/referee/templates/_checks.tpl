{{/* Fails if the values contradict each other. */}}
{{- define "referee.check" -}}
{{- if and (gt (int .Values.replicas) 1) (not (and .Values.database.url .Values.nats.urls)) -}}
{{- fail "more than one replica requires database.url and nats.urls: the nodes of a cluster share PostgreSQL and NATS" -}}
{{- end -}}
{{- if and .Values.site.enabled (not .Values.site.names) -}}
{{- fail "site.enabled requires site.names: the host names by which visitors reach the site" -}}
{{- end -}}
{{- if lt (int .Values.replicas) 1 -}}
{{- fail "replicas must be at least 1" -}}
{{- end -}}
{{- if and .Values.nats.urls (not .Values.database.url) -}}
{{- fail "nats.urls requires database.url: the nodes of a cluster share a PostgreSQL database" -}}
{{- end -}}
{{- end -}}

{{/* The ports in a URL or in several with commas between them, as a list; `default` for those without a port. */}}
{{- define "referee.ports" -}}
{{- $default := .default -}}
{{- range $url := .urls -}}
{{- range $host := regexReplaceAll "^[a-z]+://([^@/]*@)?([^/?]*).*$" $url "${2}" | splitList "," }}
- {port: {{ regexFind ":[0-9]+$" $host | trimPrefix ":" | default $default }}}
{{- end }}
{{- end }}
{{- end -}}
