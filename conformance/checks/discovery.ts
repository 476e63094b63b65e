import { type Check, check, expect, expectEqual, notSeen } from '../check.ts'
import { DATA_ACCESS, type Loose, type Target } from '../target.ts'

/** What the server says about its lexical search; without it the profile is not claimed. */
export async function lexical(target: Target): Promise<Loose> {
  const { capabilities } = await target.resource()
  const claimed = capabilities?.lexical_retrieval
  return claimed?.supported === true ? claimed : notSeen('The server does not claim lexical search.')
}

export const DISCOVERY: readonly Check[] = [
  check('PC-92', 'capabilities is an object', async target => {
    const { capabilities } = await target.resource()
    if (capabilities === undefined) notSeen('The metadata of the resource has no capabilities.')
    const isObject = typeof capabilities === 'object' && capabilities !== null
    expect(isObject && !Array.isArray(capabilities), 'capabilities is not an object')
  }),
  check('PC-98', 'lexical_retrieval has its members, and the route fits them', async target => {
    const { capabilities } = await target.resource()
    const claimed = capabilities?.lexical_retrieval
    const search = await target.get('/v1/search?q=x')
    if (claimed?.supported !== true) {
      expectEqual(search.status, 404, 'The status of /v1/search, which is not advertised,')
      notSeen('The server does not claim lexical search.')
    }
    expectEqual(search.status, 200, 'The status of /v1/search')
    expectEqual(claimed.endpoint, '/v1/search', 'endpoint')
    for (const flag of ['cross_stream', 'snippets'])
      expectEqual(typeof claimed[flag], 'boolean', `The type of ${flag}`)
    for (const limit of ['default_limit', 'max_limit'])
      expect(Number.isInteger(claimed[limit]), `${limit} is missing`)
    if (claimed.score) expectEqual(typeof claimed.score.kind, 'string', 'The type of score.kind')
  }),
  check('PC-26', 'pushed requests of the type data-access are offered', async target => {
    const metadata = await target.authorization()
    const endpoint = metadata.pushed_authorization_request_endpoint
    expect(typeof endpoint === 'string', 'pushed_authorization_request_endpoint is missing')
    const types = metadata.authorization_details_types_supported ?? []
    expect(types.includes(DATA_ACCESS), `authorization_details_types_supported lacks ${DATA_ACCESS}`)
  }),
]
