import { type Check, check, expect, expectEqual } from '../check.ts'
import { type Loose, streamPath, UNKNOWN } from '../target.ts'
import { expectError } from './answers.ts'
import { pagesOf } from './records.ts'

/** Only the last page has the mark for the next time. */
function expectMarks(pages: Loose[], what: string): string {
  const marks = pages.map(({ next_changes_since }) => next_changes_since)
  const early = marks.slice(0, -1).filter(mark => mark !== undefined)
  expect(early.length === 0, `${what}: a page before the last one has next_changes_since`)
  const last = marks.at(-1)
  expect(typeof last === 'string' && last !== '', `${what}: the last page has no next_changes_since`)
  return last
}

export const CHANGES: readonly Check[] = [
  check(
    'PC-78',
    'the changes from the beginning are the records; the last page has the next mark',
    async target => {
      const { name, records } = await target.filled(2)
      const path = `${streamPath(name)}/records`
      const limit = Math.max(1, Math.floor(records.length / 2))
      const pages = await pagesOf(target, `${path}?changes_since=beginning&limit=${limit}`)
      const mark = expectMarks(pages, 'changes_since=beginning')
      const shown = pages.flatMap(({ data }) => data.filter(({ deleted }: Loose) => !deleted))
      const missing = records.filter(({ id }) => !shown.some(each => each.id === id))
      expect(missing.length === 0, `${missing[0]?.id} is in the list and not in the changes`)
      const next = await target.get(`${path}?changes_since=${encodeURIComponent(mark)}`)
      expectEqual([next.status, next.body?.has_more], [200, false], 'What the next mark answers')
    },
  ),
  check('PC-78', 'the last page of a plain list has next_changes_since', async target => {
    const { name, records } = await target.filled(2)
    const limit = Math.max(1, Math.floor(records.length / 2))
    const pages = await pagesOf(target, `${streamPath(name)}/records?limit=${limit}`)
    expectMarks(pages, 'A plain list')
  }),
  check('PC-79', 'page cursors and change marks do not mix', async target => {
    const { name } = await target.filled(2)
    const path = `${streamPath(name)}/records`
    const { next_cursor } = (await target.get(`${path}?limit=1`)).body
    const changes = await pagesOf(target, `${path}?changes_since=beginning&limit=100`)
    const mark = changes.at(-1).next_changes_since
    const ask = (query: Record<string, string>) => target.get(`${path}?${new URLSearchParams(query)}`)
    const crossed: [string, Record<string, string>][] = [
      ['A page cursor as changes_since', { changes_since: next_cursor }],
      ['A change mark as cursor', { cursor: mark }],
      ['A mark that the server never gave', { changes_since: UNKNOWN }],
    ]
    for (const [what, query] of crossed) expectError(await ask(query), 400, 'invalid_cursor', what)
  }),
]
