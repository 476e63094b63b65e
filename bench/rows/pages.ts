import { fillLedger } from '../fill-ledger.ts'
import { connectionOf, mailId, wordAt } from '../mail.ts'
import { alternate } from '../measure.ts'
import { type Result, single, timed } from '../result.ts'
import type { Rig } from '../rig.ts'
import type { Row } from '../row.ts'
import { TARGETS } from '../targets.ts'

const DAY_MS = 86_400_000

/** The Monday of a week in the middle of the ledger. */
const MONTHS_AGO = new Date(Math.floor((Date.now() / DAY_MS - 186) / 7) * 7 * DAY_MS - 3 * DAY_MS)
  .toISOString()
  .slice(0, 10)

/** The owner's pages, each from the request to the last byte, over a full ledger and what the rows before have left. */
export const pages: Row = {
  name: 'pages',
  async measure(rig) {
    await fillLedger(rig)
    await rig.place.settle()
    const headers = { Cookie: await signIn(rig) }
    const { data } = await rig.owner.json<{ data: { client_id: string }[] }>('/v1/owner/clients')
    const client = data[0]?.client_id ?? ''
    const connection = connectionOf(0, rig.connections)
    const { data: lines } = await rig.owner.json<{ data: { disclosure_id: string; at: string }[] }>(
      `/v1/owner/disclosures?client_id=${client}&limit=1`,
    )
    const line = `${lines[0]?.disclosure_id}?${new URLSearchParams({ at: lines[0]?.at ?? '' })}`
    const record = `/r/${connection}/messages/${mailId(0)}`
    const paths = [
      ...['/', '/search', `/search?q=${wordAt(19_000)}`, `/search?q=${wordAt(19_000)}&as=${client}`],
      ...['/people', '/people?q=person-7', '/people/person-7%40example.org', '/people/example.org'],
      ...['/sources', '/sources/kept', `/sources/${connection}`, `/sources/${connection}/remove`, '/import'],
      ...['/apps', `/apps/${client}`, `/apps/remove?client=${client}`, '/connect'],
      ...['/activity', `/activity?before=${MONTHS_AGO}`, `/activity/${client}`],
      ...[`/activity/${client}?week=${MONTHS_AGO}`, `/activity/${client}/${line}`],
      ...['/settings', '/settings/server', '/settings/changes', '/settings/passkeys'],
      ...[record, `${record}?find=a`, `${record}/readers`],
    ]
    const results: Result[] = []
    let largest = 0
    for (const path of paths) {
      const { server } = await alternate(
        { server: () => rig.owner.send(path, { headers }) },
        rig.size.seconds / 5,
      )
      largest = Math.max(largest, server.bytes)
      const row = `page ${path
        .replace(client, 'APP')
        .replace(connection, 'SOURCE')
        .replace(/\?(\w+).*/, '?$1')}`
      results.push(timed({ row, server, target: TARGETS.consolePage }))
    }
    const size = { row: 'largest page', unit: 'B', value: largest, target: TARGETS.largestPage } as const
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
