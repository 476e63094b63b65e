import { isObject, type Json } from '../model/json.ts'

/** Members of responses that contain what the owner or someone else wrote. */
const WRITTEN = new Set(['display_name', 'title', 'author', 'text', 'source', 'place', 'message'])
/** Members of a record that determine how it is shown. */
const KEPT = new Set(['blob_id', 'mime_type', 'size_bytes'])
const TIME = /^\d{4}-\d\d-\d\d(?:T|$)/

/** A text with its letters and digits replaced: lengths stay the same, and equal words stay equal. */
export function obscured(text: string): string {
  return text.replace(/[\p{L}\p{M}\p{N}]+/gu, word => {
    let state = 7
    for (const char of word.toLowerCase()) state = (state * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003
    return Array.from(word, char => {
      state = (state * 48_271 + 11) % 2_147_483_647
      if (/\p{N}/u.test(char)) return String(state % 10)
      const letter = LETTERS[state % LETTERS.length] ?? 'a'
      return char === char.toLowerCase() ? letter : letter.toUpperCase()
    }).join('')
  })
}

/** Common letters occur more often, so that the result looks like a language. */
const LETTERS = 'eeeetaaaoooiiinnssrrhlldducmfpg'

/** A response of the resource server with its names and texts obscured. */
export function obscuredAnswer(answer: Json): Json {
  if (Array.isArray(answer)) return answer.map(obscuredAnswer)
  if (!isObject(answer)) return answer
  return Object.fromEntries(
    Object.entries(answer).map(([key, value]) => {
      if (typeof value === 'string') return [key, WRITTEN.has(key) ? obscured(value) : value]
      return [key, key === 'data' && isObject(value) ? obscuredData(value) : obscuredAnswer(value)]
    }),
  )
}

function obscuredData(value: Json): Json {
  if (typeof value === 'string') return TIME.test(value) ? value : obscured(value)
  if (Array.isArray(value)) return value.map(obscuredData)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, KEPT.has(key) ? child : obscuredData(child)]),
  )
}

const BANNER = '<p class="notice">Demo: names and texts are scrambled on this page.</p>'

/** The page with links and forms that stay in the demo, and without images. */
export async function inDemo(response: Response): Promise<Response> {
  const headers = new Headers(response.headers)
  const location = headers.get('Location')
  if (location?.startsWith('/')) headers.set('Location', withDemo(location, '&'))
  const { status } = response
  if (!headers.get('Content-Type')?.startsWith('text/html'))
    return new Response(location === null ? response.body : null, { status, headers })
  const page = (await response.text())
    .replace(/<img src="\/files\/[^>]*>/g, '')
    .replace(/ (href|action)="([/?][^"]*)"/g, (_, name, path) => ` ${name}="${withDemo(path, '&amp;')}"`)
    .replace(/<form [^>]*method="get"[^>]*>/g, form => `${form}<input type="hidden" name="demo" value="">`)
    .replace(/(<main[^>]*>)/, `$1${BANNER}`)
  return new Response(page, { status, headers })
}

function withDemo(path: string, and: string): string {
  const [address = '', ...fragment] = path.split('#')
  const joint = address.includes('?') ? and : '?'
  return [`${address}${joint}demo`, ...fragment].join('#')
}
