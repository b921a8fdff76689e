{{- define "skitter.name" -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "skitter.labels" -}}
app.kubernetes.io/name: skitter
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "skitter.nodeLabels" -}}
{{ include "skitter.labels" . }}
app.kubernetes.io/component: node
{{- end }}

{{- define "skitter.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "skitter.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 10001
capabilities:
  drop: ["ALL"]
seccompProfile:
  type: RuntimeDefault
{{- end }}
