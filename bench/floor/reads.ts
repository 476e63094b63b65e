import type { Plain, Row } from './plain.ts'

/** A read of the floor: a path, its parameters, and a body built from the rows alone. */
export type Read = (query: URLSearchParams) => Promise<string>

const PLACE = 'owner_id = ? AND connection_id = ? AND stream = ?'
const PIECE_CHARS = 8_192
const SCAN_PIECES = 32

/** Every read of the floor: one prepared statement each, on the same tables as the server. */
export function readsOf(plain: Plain, owner: string): Record<string, Read> {
  const record = plain.prepare(
    `SELECT connection_id, record_key, emitted_at, data FROM records WHERE ${PLACE} AND record_key = ?`,
  )
  const arm = (name: string) => `SELECT * FROM (
    SELECT connection_id, record_key, sort_key, emitted_at, data FROM records
    WHERE ${PLACE} AND deleted = 0 AND sort_key >= ? AND (sort_key, record_key) < (?, ?)
    ORDER BY sort_key DESC, record_key DESC LIMIT 26) AS ${name}`
  const page = plain.prepare(
    `${arm('a')} UNION ALL ${arm('b')} ORDER BY sort_key DESC, record_key DESC LIMIT 26`,
  )
  const pieces = plain.prepare(
    'SELECT text FROM pieces WHERE owner_id = ? AND text_no = ? AND piece_no BETWEEN ? AND ? ORDER BY piece_no',
  )
  const granted = `owner_id = ? AND connection_id IN (?, ?) AND stream = ? AND deleted = 0 AND sort_key >= ? AND sort_key < ?`
  const count = plain.prepare(`SELECT count(*) AS n FROM records WHERE ${granted}`)
  const months = plain.prepare(
    `SELECT substr(sort_key, 2, 7) AS month, count(*) AS n FROM records WHERE ${granted} GROUP BY 1 ORDER BY 1`,
  )
  const declaration = plain.prepare('SELECT content FROM declarations WHERE owner_id = ?')
  const get = (query: URLSearchParams, name: string) => query.get(name) ?? ''
  const scope = (query: URLSearchParams): [string, string, string, string, string, string] => [
    owner,
    get(query, 'a'),
    get(query, 'b'),
    'messages',
    get(query, 'since'),
    get(query, 'until'),
  ]
  const one = async (query: URLSearchParams) =>
    only(await record(owner, get(query, 'connection'), get(query, 'stream'), get(query, 'key')))

  return {
    '/record': async query => shown(await one(query)),
    '/page': async query => {
      const bounds = [get(query, 'since'), get(query, 'before'), get(query, 'key')]
      const [a, b] = [get(query, 'a'), get(query, 'b')]
      const rows = await page(owner, a, 'messages', ...bounds, owner, b, 'messages', ...bounds)
      const last = rows.length > 25 ? rows[24] : undefined
      const next = last ? `,"next":${JSON.stringify([last.sort_key, last.record_key])}` : ''
      return `{"object":"list","data":[${rows.slice(0, 25).map(shown).join(',')}]${next}}`
    },
    '/window': async query => {
      const start = Number(query.get('start'))
      const first = Math.floor(start / PIECE_CHARS)
      const end = start + Number(query.get('limit'))
      const rows = await pieces(owner, Number(query.get('text')), first, Math.floor((end - 1) / PIECE_CHARS))
      const text = rows.map(row => row.text).join('')
      return windowed(text.slice(start - first * PIECE_CHARS, end - first * PIECE_CHARS))
    },
    '/inline-window': async query => {
      const { text } = JSON.parse(String((await one(query)).data)) as { text: string }
      const start = Number(query.get('start'))
      return windowed(text.slice(start, start + Number(query.get('limit'))))
    },
    '/find': async query => {
      const wanted = new RegExp(get(query, 'q'), 'iu')
      for (let first = 0, before = ''; ; first += SCAN_PIECES) {
        const rows = await pieces(owner, Number(query.get('text')), first, first + SCAN_PIECES - 1)
        if (rows.length === 0) throw new Error('not found')
        const text = before + rows.map(row => row.text).join('')
        const at = text.search(wanted)
        if (at >= 0) return windowed(text.slice(Math.max(0, at - 2_048), at + 2_048))
        before = text.slice(-256)
      }
    },
    '/count': async query => JSON.stringify(only(await count(...scope(query)))),
    '/months': async query => JSON.stringify(await months(...scope(query))),
    '/declaration': async () => String(only(await declaration(owner)).content),
  }
}

function only(rows: Row[]): Row {
  const [row] = rows
  if (!row) throw new Error('no row')
  return row
}

/** As many bytes as the server's answer, by string concatenation only. */
function shown({ connection_id, record_key, emitted_at, data }: Row): string {
  return `{"object":"record","id":"${record_key}","stream":"messages","connection_id":"${connection_id}","connector_key":"bench-mail","display_name":"Mail of the bench","title":"forty characters stand here for a title ","url":"http://127.0.0.1:7007/v1/streams/messages/records/${record_key}?connection_id=${connection_id}","data":${data},"emitted_at":"${emitted_at}"}`
}

function windowed(text: string): string {
  return `{"object":"field_window","window":{"text":${JSON.stringify(text)}}}`
}
