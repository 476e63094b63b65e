import assert from 'node:assert/strict'
import { MAILBOX, message } from '../../../test/mailbox.ts'
import { TestServer } from '../../../test/test-server.ts'
import type { Fuzzer } from './fuzzer.ts'
import { mutated } from './mutation.ts'

const BODIES = [
  'the albatross over the quiet water',
  'albatrosses and herons, 2019-05-04, re: invoice #42 (draft)',
  'Grüße aus Köln, l’été, naïve café',
  '漢字 and emoji 🙂 beside __proto__ and null',
  'a@example.org wrote "the heron" -- not -the gull',
]
const QUERIES = [
  ...['albatross', '"the albatross"', 'alba*', '-the heron', 'from:a@example.org heron', 'heron after:2019'],
  ...[
    '(heron OR gull) water',
    'in:messages re:',
    'café',
    '漢字',
    'null',
    '"quiet water" -heron alba* before:2030-01',
  ],
]

/** Search queries: a typed answer, and the same records on both engines. */
export const queries: Fuzzer<string> = {
  name: 'queries',
  async start() {
    const made = new AsyncDisposableStack()
    const servers: TestServer[] = []
    for (const engine of ['sqlite', 'postgres'] as const) {
      const server = made.use(await TestServer.start(engine))
      const connection = await server.connect(MAILBOX)
      await server.ingest(
        'messages',
        connection,
        BODIES.map((body, n) => message(`m${n}`, { body })),
      )
      servers.push(server)
    }
    return {
      input: mutated(QUERIES, 6),
      async check(text) {
        const q = encodeURIComponent(text.toWellFormed())
        const answers = []
        for (const server of servers) {
          const { status, body } = await server.json(`/v1/search?q=${q}&limit=10`)
          assert.ok(status === 200 || (status >= 400 && status < 500), `${status} ${JSON.stringify(body)}`)
          assert.deepEqual(server.failures, [])
          const found = body.data?.map(({ record_key }: { record_key: string }) => record_key)
          answers.push({ status, code: body.error?.code, found })
        }
        assert.deepEqual(answers[0], answers[1])
      },
      [Symbol.asyncDispose]: () => made.disposeAsync(),
    }
  },
}
