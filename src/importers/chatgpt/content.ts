import { isObject, type Json, type JsonObject } from '../../model/json.ts'

interface Content {
  text: string | null
  type: string
  language: string | null
  /** Files that are part of the message itself: pictures and recordings. */
  assets: { pointer: string; size: number | null }[]
}

/** The readable text of a message, for every kind of content. */
export function contentOf(content: Json | undefined): Content {
  if (typeof content === 'string') return { text: content, type: 'text', language: null, assets: [] }
  if (!isObject(content)) return { text: null, type: 'none', language: null, assets: [] }
  const type = typeof content.content_type === 'string' ? content.content_type : 'text'
  const assets: Content['assets'] = []
  const written = textOf(type, content, assets).replace(MARKS, (_, mark: string) => shownFor(mark))
  const text = written.trim() === '' ? null : written
  const language =
    typeof content.language === 'string' && content.language !== 'unknown' ? content.language : null
  return { text, type, language, assets }
}

const MARKS = /\ue200([^\ue201]{0,2000})\ue201/g

/** What ChatGPT shows for a mark: names and the words of links. Marks of sources and widgets are noise in plain text. */
function shownFor(mark: string): string {
  const [kind, value = ''] = mark.split('\ue202')
  if (kind === 'url') return value
  // `["city","Paris","the capital of France"]`
  return kind === 'entity'
    ? (/^\["[^"]*","((?:[^"\\]|\\.)*)"/.exec(value)?.[1] ?? '').replace(/\\(.)/g, '$1')
    : ''
}

function textOf(type: string, content: JsonObject, assets: Content['assets']): string {
  switch (type) {
    case 'text':
    case 'multimodal_text':
      return lines(partsOf(content, assets))
    case 'code':
    case 'execution_output':
    case 'system_error':
      return lines([type === 'system_error' ? content.name : null, content.text])
    case 'tether_quote':
      return lines([content.title, content.text, content.url])
    case 'tether_browsing_display':
      return lines([content.summary, content.result])
    case 'user_editable_context':
      return lines([content.user_profile, content.user_instructions])
    case 'model_editable_context':
      return lines([content.model_set_context])
    case 'thoughts':
      return lines(
        (Array.isArray(content.thoughts) ? content.thoughts.filter(isObject) : []).flatMap(thought => [
          thought.summary,
          thought.content,
        ]),
      )
    case 'reasoning_recap':
      return lines([content.content])
    default:
      return lines([
        ...partsOf(content, assets),
        ...stringsOf({ ...content, parts: null, content_type: null }),
      ])
  }
}

function partsOf(content: JsonObject, assets: Content['assets']): Json[] {
  const parts = Array.isArray(content.parts) ? content.parts : []
  return parts.flatMap(part => {
    if (!isObject(part)) return [part]
    collectAssets(part, assets)
    const dalle = isObject(part.metadata) && isObject(part.metadata.dalle) ? part.metadata.dalle : {}
    return [part.text ?? null, dalle.prompt ?? null]
  })
}

function collectAssets(part: JsonObject, assets: Content['assets']): void {
  if (typeof part.asset_pointer === 'string') {
    const size = typeof part.size_bytes === 'number' ? part.size_bytes : null
    assets.push({ pointer: part.asset_pointer, size })
  }
  for (const child of Object.values(part)) if (isObject(child)) collectAssets(child, assets)
}

function lines(values: (Json | undefined)[]): string {
  return values.filter(value => typeof value === 'string' && value !== '').join('\n')
}

/** All text in content of an unknown kind. */
function stringsOf(value: Json): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsOf)
  return isObject(value) ? Object.values(value).flatMap(stringsOf) : []
}

/** The addresses that an answer cites. */
export function linksOf(metadata: JsonObject): string[] {
  const urls = new Set<string>()
  const visit = (value: Json, depth: number): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, depth)
    else if (isObject(value) && depth > 0) {
      if (typeof value.url === 'string' && /^https?:\/\//.test(value.url)) urls.add(value.url)
      for (const child of Object.values(value)) visit(child, depth - 1)
    }
  }
  for (const key of ['citations', 'content_references', '_cite_metadata', 'search_result_groups']) {
    if (metadata[key] !== undefined) visit(metadata[key], 6)
  }
  return [...urls]
}
