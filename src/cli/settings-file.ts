import { readFileSync } from 'node:fs'
import { isObject, jsonOrNull } from '../model/json.ts'
import { UsageError } from './terminal/exit-errors.ts'

/** The settings in a file, by name, as texts. */
export function readSettingsFile(
  path: string,
  known: readonly string[],
  required: boolean,
): Record<string, string> {
  const settings = Object.entries(settingsIn(path, known, required))
  return Object.fromEntries(settings.map(([name, value]) => [name, String(value)]))
}

/** The settings as they are in the file; an optional file may be missing. */
export function settingsIn(
  path: string,
  known: readonly string[],
  required: boolean,
): Record<string, string | number> {
  const text = textOf(path, required)
  if (text === null) return {}
  const settings = jsonOrNull(text)
  if (!isObject(settings)) {
    throw new UsageError(`${path} is not a JSON object.`, 'write it like {"port": 8080}')
  }
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      if (!known.includes(name)) {
        throw new UsageError(`${path} has an unknown setting, "${name}".`, `one of ${known.join(', ')}`)
      }
      if (typeof value !== 'string' && typeof value !== 'number') {
        throw new UsageError(`${path}: ${name} is neither a text nor a number.`, `"${name}": "…"`)
      }
      return [name, value]
    }),
  )
}

function textOf(path: string, required: boolean): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (!required && (code === 'ENOENT' || code === 'ENOTDIR')) return null
    throw new UsageError(`${path} cannot be read (${code}).`, 'check --config')
  }
}
