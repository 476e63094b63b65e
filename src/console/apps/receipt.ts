import { readGrant } from '../../api/owner/grants.ts'
import { CodedError } from '../../model/errors.ts'
import { humanName } from '../../pages/words.ts'
import { readClients } from '../app-names.ts'
import type { Visit } from '../visit.ts'
import { readVocabulary } from '../vocabulary.ts'
import { sourceNames, termWords } from './grant-words.ts'

/** The decision as a text to keep: who may read what, since when and until when. */
export async function sendReceipt(visit: Visit): Promise<Response> {
  const { client_id = '', grant_id = '' } = visit.path
  const [clients, state, vocabulary] = await Promise.all([
    readClients(visit),
    visit.call(readGrant, { grant_id }),
    readVocabulary(visit),
  ])
  if (state.client_id !== client_id) throw new CodedError('grant_not_found', 'That app has no such access.')
  const { times, env } = visit
  const name = clients.find(each => each.client_id === client_id)?.name ?? state.client_name
  const { grant, revoked_at, expires_at, active } = state
  const lines = [
    'Receipt of access to personal data',
    '',
    `Server      ${env.publicUrl}`,
    `App         ${oneLine(name)} (${client_id})`,
    `Source      ${sourceNames(state, vocabulary).map(oneLine).join(', ')}`,
    `Allowed     ${times.at(state.created_at)}`,
    `Ends        ${expires_at === null ? 'when the owner removes it' : times.at(expires_at)}`,
    `State       ${active ? 'in force' : `ended ${times.at(revoked_at ?? expires_at ?? state.consumed_at ?? '')}`}`,
    `Grant       ${grant_id}`,
    '',
    oneLine(termWords(state, times, true)),
    '',
    'What it opens:',
    ...(grant?.streams ?? []).flatMap(({ name: stream, fields, time_constraint, resources }) => [
      `- ${oneLine(vocabulary.labels.get(stream) ?? humanName(stream))} (${stream})`,
      `  fields: ${fields.join(', ')}`,
      ...(time_constraint?.since ? [`  from: ${time_constraint.since}`] : []),
      ...(time_constraint?.until ? [`  before: ${time_constraint.until}`] : []),
      ...(resources ? [`  only these records: ${resources.map(oneLine).join(', ')}`] : []),
    ]),
    '',
    `Written ${times.at(visit.now.toISOString())}.`,
    '',
  ]
  return new Response(lines.join('\n'), {
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Disposition': `attachment; filename="receipt-${grant_id.replace(/[^\w-]/g, '')}.txt"`,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'",
    },
  })
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}
