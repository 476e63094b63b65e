import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const TEXTS: Record<string, string> = {
  code: 'getUserName throws ERR_INVALID_ARG_TYPE for snake_case_value in src/store/search.ts since v2.0.1',
  failed: 'It failed with http 404 and 0x80070005',
  cold: 'The thermometer in the cellar says -12 degrees at 12:30',
  korean: '어제 학교에서 친구를 만났다. 도서관으로 갔다.',
  hebrew: 'הילדים הלכו לבית הספר',
  arabic: 'وضع الولد الأقلام والكتاب، واستخدام الحاسوب ممنوع',
  url: 'See https://example.org/docs/page?id=42#top or write to ada@example.org #summer',
  windows: 'The file is C:\\Users\\ada\\report.docx',
  red: 'The lighthouse should be painted red before the regatta',
}

/** What is typed or sent, and the record that its words are in. */
const WRITTEN: [query: string, found: string][] = [
  ['getUserName()', 'code'],
  ['snake case value', 'code'],
  ['`ERR_INVALID_ARG_TYPE`', 'code'],
  ['version 2.0.1', 'code'],
  ['store/search.ts', 'code'],
  ['HTTP404', 'failed'],
  ['error: 0x80070005', 'failed'],
  ['-12 degrees', 'cold'],
  ['what happened at 12:30?', 'cold'],
  ['학교', 'korean'],
  ['친구가 도서관에', 'korean'],
  ['ילדים', 'hebrew'],
  ['ספר', 'hebrew'],
  ['كتاب', 'arabic'],
  ['الاستخدام', 'arabic'],
  ['https://example.org/docs/page?id=42#top', 'url'],
  ['mailto:ada@example.org', 'url'],
  ['#summer', 'url'],
  ['C:\\Users\\ada\\report.docx', 'windows'],
  ['re: lighthouse', 'red'],
  ['lighthouse AND (red OR blue) NOT green', 'red'],
  ['"Who said that the lighthouse should be painted?"', 'red'],
  ['find the message where “lighthouse is blue” was said', 'red'],
  [`${'Everyone at the harbour talked about it all day. '.repeat(38)}lighthouse`, 'red'],
]

onEachEngine('EV-8 whatever is written, its words find the record that contains them', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const lines = Object.entries(TEXTS).map(([id, body]) => message(id, { subject: '', body }))
  await server.ingest('messages', connection, lines)
  for (const [query, found] of WRITTEN) {
    const { body } = await server.json(`/v1/search?q=${encodeURIComponent(query)}`)
    const [first] = body.data
    assert.equal(first?.record_key, found, query)
    assert.ok(first.match_windows.length > 0, query)
  }
})

onEachEngine('EV-8 the words of a date count less where records of that time are found', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const said = (id: string, received_at: string, body: string) =>
    message(id, { subject: '', received_at, body })
  await server.ingest('messages', connection, [
    said('then', '2023-08-19T10:00:00Z', 'We moored at the island overnight'),
    said('words', '2024-02-01T10:00:00Z', 'The August 2023 statement and the 19 August one'),
    ...Array.from({ length: 20 }, (_, n) => said(`n${n}`, '2024-02-01T10:00:00Z', 'Nothing of interest')),
  ])
  const first = async (q: string) => {
    const { body } = await server.json(`/v1/search?limit=1&q=${encodeURIComponent(q)}`)
    return body.data[0]?.record_key
  }
  assert.equal(await first('Where were we overnight on 19 August 2023?'), 'then')
  assert.equal(await first('which statement of August 2023'), 'words')
  assert.equal(await first('August 2023'), 'words')
})
