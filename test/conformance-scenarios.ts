/**
 * Where a scenario of the conformance suite passes, or why it does not apply; null if a revision does not have it.
 */
export type Place = 'Footnote' | 'fixture' | keyof typeof REASONS | null

export const REASONS = {
  'no session': 'tests sessions or resumed streams; every request is independent, as 2026-07-28 requires',
  'no questions':
    'the server asks the client in the middle of a call, which before 2026-07-28 needs a session; no tool of Footnote asks anything',
  'no tasks':
    'an optional extension for work that continues after the answer; every call ends with its answer',
} as const

/** Every scenario for servers: its place in 2026-07-28 and in 2025-11-25. */
export const SCENARIOS: Record<string, readonly [modern: Place, legacy: Place]> = {
  'server-initialize': [null, 'Footnote'],
  'server-stateless': ['fixture', null],
  'server-session-lifecycle': [null, 'no session'],
  'server-sse-multiple-streams': ['Footnote', 'no session'],
  'server-sse-polling': [null, 'no session'],
  'dns-rebinding-protection': ['Footnote', 'Footnote'],
  'http-header-validation': ['Footnote', null],
  'http-custom-header-server-validation': ['fixture', null],
  caching: ['Footnote', null],
  ping: [null, 'Footnote'],
  'logging-set-level': [null, 'fixture'],
  'completion-complete': ['fixture', 'fixture'],
  'tools-list': ['Footnote', 'Footnote'],
  'tools-call-simple-text': ['fixture', 'fixture'],
  'tools-call-image': ['fixture', 'fixture'],
  'tools-call-audio': ['fixture', 'fixture'],
  'tools-call-embedded-resource': ['fixture', 'fixture'],
  'tools-call-mixed-content': ['fixture', 'fixture'],
  'tools-call-with-logging': [null, 'fixture'],
  'tools-call-error': ['fixture', 'fixture'],
  'tools-call-with-progress': ['fixture', 'fixture'],
  'tools-call-sampling': [null, 'no questions'],
  'tools-call-elicitation': [null, 'no questions'],
  'elicitation-sep1034-defaults': [null, 'no questions'],
  'elicitation-sep1330-enums': [null, 'no questions'],
  'json-schema-2020-12': ['fixture', 'fixture'],
  'resources-list': ['Footnote', 'Footnote'],
  'resources-read-text': ['fixture', 'fixture'],
  'resources-read-binary': ['fixture', 'fixture'],
  'resources-templates-read': ['fixture', 'fixture'],
  'resources-subscribe': [null, 'fixture'],
  'resources-unsubscribe': [null, 'fixture'],
  'sep-2164-resource-not-found': ['Footnote', null],
  'prompts-list': ['Footnote', 'Footnote'],
  'prompts-get-simple': ['fixture', 'fixture'],
  'prompts-get-with-args': ['fixture', 'fixture'],
  'prompts-get-embedded-resource': ['fixture', 'fixture'],
  'prompts-get-with-image': ['fixture', 'fixture'],
  'input-required-result-basic-elicitation': ['fixture', null],
  'input-required-result-basic-sampling': ['fixture', null],
  'input-required-result-basic-list-roots': ['fixture', null],
  'input-required-result-request-state': ['fixture', null],
  'input-required-result-multiple-input-requests': ['fixture', null],
  'input-required-result-multi-round': ['fixture', null],
  'input-required-result-missing-input-response': ['fixture', null],
  'input-required-result-non-tool-request': ['fixture', null],
  'input-required-result-result-type': ['fixture', null],
  'input-required-result-unsupported-methods': ['Footnote', null],
  'input-required-result-tampered-state': ['fixture', null],
  'input-required-result-capability-check': ['fixture', null],
  'input-required-result-ignore-extra-params': ['fixture', null],
  'input-required-result-validate-input': ['fixture', null],
  'tasks-lifecycle': ['no tasks', null],
  'tasks-capability-negotiation': ['no tasks', null],
  'tasks-wire-fields': ['no tasks', null],
  'tasks-request-state-removal': ['no tasks', null],
  'tasks-mrtr-input': ['no tasks', null],
  'tasks-request-headers': ['no tasks', null],
  'tasks-dispatch-and-envelope': ['no tasks', null],
  'tasks-status-notifications': ['no tasks', null],
  'tasks-required-task-error': ['no tasks', null],
  'tasks-mrtr-composition': ['no tasks', null],
}

export function tableRow(name: string): string {
  const cells = (SCENARIOS[name] ?? []).map(place => (place === null ? '–' : place))
  return `| \`${name}\` | ${cells.join(' | ')} |`
}
