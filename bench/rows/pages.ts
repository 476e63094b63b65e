import { connectionOf, mailId, wordAt } from '../mail.ts'
import { alternate } from '../measure.ts'
import { atMost, type Result, single, timed } from '../result.ts'
import type { Rig } from '../rig.ts'
import type { Row } from '../row.ts'

const MOST_MS = 50
const MOST_BYTES = 150_000

/** The owner's pages, each from the request to the last byte, over everything that the rows before have left. */
export const pages: Row = {
  name: 'pages',
  async measure(rig) {
    const headers = { Cookie: await signIn(rig) }
    const { data } = await rig.owner.json<{ data: { client_id: string }[] }>('/v1/owner/clients')
    const client = data[0]?.client_id ?? ''
    const connection = connectionOf(0, rig.connections)
    const paths = [
      ...['/', `/search?q=${wordAt(19_000)}`, '/people', '/sources', `/sources/${connection}`, '/apps'],
      ...[
        `/apps/${client}`,
        '/activity',
        `/activity/${client}`,
        '/connect',
        '/settings',
        '/settings/changes',
      ],
      `/r/${connection}/messages/${mailId(0)}`,
    ]
    const results: Result[] = []
    let largest = 0
    for (const path of paths) {
      const { server } = await alternate(
        { server: () => rig.owner.send(path, { headers }) },
        rig.size.seconds / 5,
      )
      largest = Math.max(largest, server.bytes)
      const row = `page ${path.replace(client, 'APP').replace(connection, 'SOURCE').replace(/\?.*/, '')}`
      results.push(timed({ row, server, target: atMost(MOST_MS, 'ms') }))
    }
    const size = { row: 'largest page', unit: 'B', value: largest, target: atMost(MOST_BYTES, 'B') } as const
    return [...results, single(size)]
  },
}

async function signIn({ owner, urls }: Rig): Promise<string> {
  const { url } = await owner.post<{ url: string }>('/v1/owner/sign-in-links', {})
  const link = new URL(url).searchParams.get('link') ?? ''
  const answer = await fetch(`${urls.server}/sign-in`, {
    method: 'POST',
    headers: { Origin: new URL(url).origin },
    body: new URLSearchParams({ link }),
    redirect: 'manual',
  })
  return answer.headers
    .getSetCookie()
    .map(cookie => cookie.split(';')[0])
    .join('; ')
}
