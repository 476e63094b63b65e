import { type Check, check, expect, expectEqual, notSeen } from '../check.ts'
import { DATA_ACCESS, type Loose, type Target, UNKNOWN } from '../target.ts'
import { isTime } from './streams.ts'

async function introspect(target: Target, token: string): Promise<Loose> {
  const { clientId } = target.given
  if (clientId === null) notSeen('This needs --client-id, the OAuth client of the token.')
  const { introspection_endpoint: endpoint } = await target.authorization()
  if (endpoint === undefined) notSeen('The authorization server has no introspection.')
  const body = new URLSearchParams({ token, client_id: clientId })
  return (await target.request(endpoint, null, { method: 'POST', body })).body
}

export const TOKENS: readonly Check[] = [
  check('PC-56', 'token answers are not stored', async target => {
    const { token_endpoint } = await target.authorization()
    const body = new URLSearchParams({ grant_type: 'authorization_code', code: UNKNOWN, client_id: UNKNOWN })
    const { headers } = await target.request(token_endpoint, null, { method: 'POST', body })
    expect(/no-store/.test(headers.get('Cache-Control') ?? ''), 'Cache-Control is not no-store')
    expectEqual(headers.get('Pragma'), 'no-cache', 'Pragma')
  }),
  check('PC-59', 'introspection tells kind, subject and resolved rights', async target => {
    const told = await introspect(target, target.token)
    expectEqual(told?.active, true, 'active')
    expect(['client', 'package'].includes(told.pdpp_token_kind), `pdpp_token_kind is ${told.pdpp_token_kind}`)
    for (const member of ['subject_id', 'client_id']) {
      expect(typeof told[member] === 'string', `${member} is missing`)
    }
    const named = told.pdpp_token_kind === 'client' ? [told] : told.authorization_details
    for (const each of named) expect(typeof each.grant_id === 'string', 'grant_id is missing')
    for (const detail of told.authorization_details) {
      expectEqual(detail.type, DATA_ACCESS, 'type')
      expect(detail.source?.id && detail.source.kind, 'source is not complete')
      expect(detail.purpose_code && detail.access_mode, 'purpose_code or access_mode is missing')
      for (const { name, instance_ids, fields, ...more } of detail.streams) {
        expect(name !== '*' && instance_ids?.length > 0 && fields?.length > 0, `${name} is not resolved`)
        expect(!('view' in more) && !('necessity' in more), `${name} is not resolved`)
        const { since, until } = more.time_constraint ?? {}
        for (const bound of [since, until])
          expect(bound === undefined || isTime(bound), `${bound} is not a time`)
      }
    }
  }),
  check('PC-60', 'introspection of an unknown token is inactive', async target => {
    expectEqual(await introspect(target, UNKNOWN), { active: false }, 'What is told of an unknown token')
  }),
]
