{{- define "referee.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "referee.chosen" -}}
app.kubernetes.io/name: referee
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "referee.labels" -}}
{{ include "referee.chosen" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}
