import assert from 'node:assert/strict'
import { onEachEngine, PROVING, TestServer } from './engines.ts'
import { KNOWN_ITEMS } from './known-items.ts'
import { MAILBOX, message } from './mailbox.ts'

onEachEngine(
  'EV-8 in ten languages a known text is among the first three, by other forms, without accents and misspelt',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const all = Object.entries(KNOWN_ITEMS).flatMap(([language, items]) =>
      items.map((item, i) => ({ id: `${language}${i}`, ...item })),
    )
    await server.ingest(
      'messages',
      connection,
      all.map(({ id, text }) => message(id, { subject: null, body: text })),
    )
    const missed: string[] = []
    for (const [i, { id, asked }] of all.entries()) {
      for (const q of PROVING ? asked : asked.slice(i % asked.length).slice(0, 1)) {
        const { body } = await server.json(`/v1/search?limit=3&windows=1&q=${encodeURIComponent(q)}`)
        const hits = body.data as { record_key: string; match_windows: unknown[] }[]
        const hit = hits.find(({ record_key }) => record_key === id)
        if (!hit || hit.match_windows.length === 0) missed.push(`${id}: ${q}`)
      }
    }
    assert.deepEqual(missed, [])
  },
)
