import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IMPORTERS } from '../src/importers/importers.ts'
import { recognise } from '../src/importers/recognition.ts'
import { isObject, type Json } from '../src/model/json.ts'
import { MADE_EXPORTS } from './exports/made-exports.ts'
import { sourceOf } from './imported.ts'

const UNEXPECTED = [null, {}, [{}], '', 1e308]
const ITEMS = 2

/** Every copy of a value in which one value, at any depth, is another. */
function* changedCopies(value: Json): Generator<Json> {
  yield* UNEXPECTED
  if (Array.isArray(value))
    for (const [index, item] of value.entries())
      for (const changed of changedCopies(item)) yield value.with(index, changed)
  else if (isObject(value))
    for (const [key, child] of Object.entries(value))
      for (const changed of changedCopies(child)) yield { ...value, [key]: changed }
}

/** The text of a file with JSON, or with a JSON object on each line, in which one value is another. */
function* changedTexts(text: string): Generator<string> {
  const lines = text.trim().split('\n')
  for (const [index, line] of lines.entries()) {
    const value = jsonOf(line)
    if (value === undefined) return
    for (const changed of changedCopies(value)) yield lines.with(index, JSON.stringify(changed)).join('\n')
  }
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

for (const made of MADE_EXPORTS) {
  const files = Object.entries(made.of(ITEMS)).map(([path, content]): [string, string | Uint8Array] => [
    path,
    typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
  ])
  const written = files.filter((file): file is [string, string] => typeof file[1] === 'string')
  if (!written.some(([, text]) => jsonOf(text.trim().split('\n')[0] ?? '') !== undefined)) continue
  test(`no value stops the import of ${made.format} (${made.layout ?? 'its only layout'})`, async () => {
    for (const [path, text] of written) {
      for (const changed of changedTexts(text)) {
        const source = sourceOf({ ...Object.fromEntries(files), [path]: changed })
        for (const { finding } of (await recognise(source, IMPORTERS)).found) {
          for await (const event of finding.read(null)) {
            if (event.kind === 'blob' && !(event.bytes instanceof Uint8Array))
              await Array.fromAsync(event.bytes)
            if (event.kind === 'record')
              assert.doesNotMatch(JSON.stringify(event), /\[object Object\]/, changed)
          }
        }
      }
    }
  })
}
