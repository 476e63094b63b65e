import { CodedError } from '../errors.ts'
import { isObject, type Json, type JsonObject, parseJson, plainNumbers } from '../json.ts'
import { type Declaration, isAbsoluteUri } from './declaration.ts'
import { Problems } from './problems.ts'
import { checkStream } from './stream-problems.ts'

const KINDS = ['connector', 'provider_native']

/** A declaration that was checked before. */
export function storedDeclaration(content: string): Declaration {
  return plainNumbers(parseJson(content)) as unknown as Declaration
}

/**
 * Checks a whole declaration and reports every problem at once. Its numbers are doubles: it is sent to workers, and
 * others cannot be.
 */
export function parseDeclaration(given: Json): Declaration {
  const input = plainNumbers(given)
  const problems = new Problems()
  if (!isObject(input)) throw refused(['the declaration is not a JSON object'])
  problems.members(
    input,
    ['protocol_version', 'source', 'declaration_version', 'publisher', 'display', 'streams'],
    ['selection_presets', 'extensions'],
  )
  if (input.protocol_version !== '0.1.0') problems.add('protocol_version: must be "0.1.0"')
  problems.in('source', input.source, (at, source) => {
    at.members(source, ['kind', 'id'])
    if (!KINDS.includes(source.kind as string)) at.add(`kind: one of ${KINDS.join(', ')}`)
    if (!isAbsoluteUri(source.id)) at.add('id: an absolute URI')
  })
  problems.text('declaration_version', input.declaration_version, 64)
  problems.in('publisher', input.publisher, (at, publisher) => {
    at.members(publisher, ['id'])
    if (!isAbsoluteUri(publisher.id)) at.add('id: an absolute URI')
  })
  problems.in('display', input.display, (at, display) => {
    at.members(display, ['name'])
    at.text('name', display.name, 200)
  })
  const streams = Array.isArray(input.streams) ? input.streams : []
  if (streams.length === 0) problems.add('streams: a list of at least one stream')
  const byName = new Map(streams.flatMap(stream => (isObject(stream) ? [[stream.name, stream]] : [])))
  problems.each('streams', streams, 'name', (at, stream) => checkStream(at, stream, byName))
  if (input.selection_presets !== undefined) checkPresets(problems, input.selection_presets, byName)
  if (input.extensions !== undefined) {
    problems.in('extensions', input.extensions, (at, extensions) => {
      for (const key of Object.keys(extensions)) if (!isAbsoluteUri(key)) at.add(`${key}: not a profile URI`)
    })
  }
  if (problems.all.length > 0) throw refused(problems.all)
  return input as unknown as Declaration
}

function refused(reasons: readonly string[]): CodedError {
  const more = reasons.length > 1 ? ` (and ${reasons.length - 1} more, see reasons)` : ''
  const message = `The declaration is refused: ${reasons[0]}${more}`
  return new CodedError('invalid_declaration', message, { reasons })
}

function checkPresets(problems: Problems, presets: Json, streams: ReadonlyMap<unknown, JsonObject>): void {
  problems.each('selection_presets', presets, 'id', (at, preset) => {
    at.members(preset, ['id', 'label', 'streams'])
    at.text('label', preset.label, 200)
    at.each('streams', preset.streams, 'name', (place, entry) => {
      place.members(entry, ['name'], ['view', 'fields'])
      if (entry.view !== undefined && entry.fields !== undefined)
        place.add('view and fields cannot be combined')
      const stream = streams.get(entry.name)
      if (!stream) {
        place.add('not a declared stream')
        return
      }
      const views = Array.isArray(stream.views) ? stream.views : []
      if (entry.view !== undefined && !views.some(view => isObject(view) && view.id === entry.view))
        place.add(`view: the stream has no view ${JSON.stringify(entry.view)}`)
      const schema = isObject(stream.schema) ? stream.schema : {}
      if (entry.fields !== undefined)
        place.fields('fields', entry.fields, isObject(schema.properties) ? schema.properties : {})
    })
  })
}
