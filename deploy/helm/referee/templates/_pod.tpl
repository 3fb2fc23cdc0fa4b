{{/* The pod of a Deployment with a volume, or of a StatefulSet with PostgreSQL. */}}
{{- define "referee.pod" -}}
metadata:
  labels: {{- include "referee.labels" . | nindent 4 }}
  annotations:
    checksum/settings: {{ include (print $.Template.BasePath "/settings.yaml") . | sha256sum }}
spec:
  terminationGracePeriodSeconds: {{ add .Values.settings.drain_grace_s .Values.terminationSlackSeconds }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    seccompProfile: {type: RuntimeDefault}
  containers:
    - name: referee
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve, --config, /etc/referee/referee.toml]
      {{- if .Values.nats.urls }}
      env:
        - name: POD_NAME
          valueFrom: {fieldRef: {fieldPath: metadata.name}}
        # Other nodes call this one at its name in the headless service, which the certificate can contain.
        - name: REFEREE_ADVERTISE
          value: "$(POD_NAME).{{ include "referee.name" . }}-nodes.{{ .Release.Namespace }}.svc:7700"
      {{- end }}
      ports:
        - {name: grpc, containerPort: 7700}
        - {name: http, containerPort: 7780}
        {{- if .Values.site.enabled }}
        - {name: site, containerPort: 7790}
        {{- end }}
      startupProbe: # Recovery of many matches takes time.
        httpGet: {path: /healthz, port: http}
        periodSeconds: 2
        failureThreshold: 150
      livenessProbe:
        httpGet: {path: /healthz, port: http}
        periodSeconds: 10
        timeoutSeconds: 5
        # A node has no HTTP port while PostgreSQL is away; to restart it then would only delay its return.
        failureThreshold: {{ ternary 60 6 (not (empty .Values.database.url)) }}
      readinessProbe:
        httpGet: {path: /readyz, port: http}
        periodSeconds: 5
        timeoutSeconds: 5
      resources: {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      volumeMounts:
        - {name: data, mountPath: /data}
        - {name: tmp, mountPath: /tmp}
        - {name: settings, mountPath: /etc/referee/referee.toml, subPath: referee.toml, readOnly: true}
        - {name: tls, mountPath: /etc/referee/tls, readOnly: true}
        {{- range include "referee.secrets" . | fromYamlArray }}
        - {name: {{ .name }}, mountPath: /etc/referee/{{ .name }}, readOnly: true}
        {{- end }}
  volumes:
    - name: data
      {{- if .Values.database.url }}
      emptyDir: {} # Only for the first administrator's token.
      {{- else }}
      persistentVolumeClaim:
        claimName: {{ .Values.persistence.existingClaim | default (include "referee.name" .) }}
      {{- end }}
    - name: tmp
      emptyDir: {}
    - name: settings
      configMap: {name: {{ include "referee.name" . }}}
    - name: tls
      secret: {secretName: {{ required "tls.secretName is required: the service is public and needs TLS" .Values.tls.secretName }}, defaultMode: 0440}
    {{- range include "referee.secrets" . | fromYamlArray }}
    - name: {{ .name }}
      secret: {secretName: {{ .secret }}, defaultMode: 0440}
    {{- end }}
  {{- if gt (int .Values.replicas) 1 }}
  topologySpreadConstraints: # On different machines, if there are enough.
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "referee.chosen" . | nindent 10 }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* The secrets that are mounted below /etc/referee, in folders of these names. */}}
{{- define "referee.secrets" -}}
{{- with .Values.tls.clientCaSecretName }}
- {name: client-ca, secret: {{ . }}}
{{- end }}
{{- with .Values.tls.clusterCaSecretName }}
- {name: cluster-ca, secret: {{ . }}}
{{- end }}
{{- with .Values.database.passwordSecretName }}
- {name: database, secret: {{ . }}}
{{- end }}
{{- with .Values.database.caSecretName }}
- {name: database-ca, secret: {{ . }}}
{{- end }}
{{- with .Values.nats.credentialsSecretName }}
- {name: nats, secret: {{ . }}}
{{- end }}
{{- with .Values.nats.caSecretName }}
- {name: nats-ca, secret: {{ . }}}
{{- end }}
{{- end -}}
