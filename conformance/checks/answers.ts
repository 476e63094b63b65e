import { type Check, check, expect, expectEqual } from '../check.ts'
import { type Answer, type Target, UNKNOWN, VERSION } from '../target.ts'

/**
 * Responses of every kind that needs no data: a valid one, an invalid one, one without a token, one for an unknown
 * path.
 */
async function answersOf(target: Target): Promise<[string, Answer][]> {
  return [
    ['GET /v1/streams', await target.get('/v1/streams')],
    [`GET /v1/streams?${UNKNOWN}=1`, await target.get(`/v1/streams?${UNKNOWN}=1`)],
    ['GET /v1/streams without a token', await target.request('/v1/streams', null)],
    [`GET /v1/${UNKNOWN}`, await target.get(`/v1/${UNKNOWN}`)],
  ]
}

async function errorsOf(target: Target): Promise<[string, Answer][]> {
  return (await answersOf(target)).filter(([, { status }]) => status >= 400)
}

export function expectError({ status, body }: Answer, wanted: number, code: string, what: string): void {
  const shown = body?.error?.code ?? body?.error
  expect(status === wanted && shown === code, `${what} is ${status} ${shown}, not ${wanted} ${code}`)
}

export const ANSWERS: readonly Check[] = [
  check('PC-84', 'an error has type, code, message and request_id', async target => {
    const errors = await errorsOf(target)
    expect(errors.length >= 2, 'Wrong requests are not refused')
    for (const [what, { headers, body }] of errors) {
      for (const member of ['type', 'code', 'message', 'request_id']) {
        expect(typeof body?.error?.[member] === 'string', `${what}: error.${member} is missing`)
      }
      expectEqual(body.error.request_id, headers.get('Request-Id'), `${what}: error.request_id`)
    }
  }),
  check('PC-85', 'no token and an unknown token are 401 authentication_error', async target => {
    for (const token of [null, UNKNOWN]) {
      const answer = await target.request('/v1/streams', token)
      expectError(answer, 401, 'authentication_error', token === null ? 'No token' : 'An unknown token')
      expectEqual(answer.body.error.type, 'authentication_error', 'error.type')
      expect(/^Bearer\b/i.test(answer.headers.get('WWW-Authenticate') ?? ''), 'WWW-Authenticate is missing')
    }
  }),
  check('PC-60', 'a token of an unknown kind opens nothing', async target => {
    for (const path of ['/v1/streams', `/v1/streams/${UNKNOWN}/records`, '/v1/blobs/x']) {
      expectEqual((await target.request(path, `pdpp_${UNKNOWN}`)).status, 401, `The status of ${path}`)
    }
  }),
  check('PC-86', 'an address that does not exist is 404 not_found', async target => {
    const answer = await target.get(`/v1/${UNKNOWN}`)
    expectError(answer, 404, 'not_found', `/v1/${UNKNOWN}`)
    expectEqual(answer.body.error.type, 'not_found_error', 'error.type')
  }),
  check('PC-87', 'every answer has Request-Id', async target => {
    for (const [what, { headers }] of await answersOf(target)) {
      expect(headers.get('Request-Id'), `${what} has no Request-Id`)
    }
  }),
  check('PC-88', 'every answer has PDPP-Version', async target => {
    for (const [what, { headers }] of await answersOf(target)) {
      expectEqual(headers.get('PDPP-Version'), VERSION, `PDPP-Version of ${what}`)
    }
  }),
  check('PC-89', 'an unsupported PDPP-Version is 400 unsupported_version', async target => {
    const asked = (version: string) => target.get('/v1/streams', { headers: { 'PDPP-Version': version } })
    expectEqual((await asked(VERSION)).status, 200, `The status with PDPP-Version ${VERSION}`)
    expectError(await asked('1999-01-01'), 400, 'unsupported_version', 'PDPP-Version 1999-01-01')
  }),
  check('PC-69', 'an unknown parameter is 400 invalid_request', async target => {
    const { name } = await target.filled(0)
    for (const path of ['/v1/streams', `/v1/streams/${encodeURIComponent(name)}/records`]) {
      const answer = await target.get(`${path}?${UNKNOWN}=1`)
      expectError(answer, 400, 'invalid_request', `${path}?${UNKNOWN}=1`)
    }
  }),
]
