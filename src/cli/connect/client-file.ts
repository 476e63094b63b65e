import { chmod, copyFile, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { applyEdits, type FormattingOptions, modify, type ParseError, parse } from 'jsonc-parser'
import type { ClientKind } from '../../clients/client-kinds.ts'
import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { ExitError } from '../terminal/exit-errors.ts'
import { readTomlTable, tomlTable, withTomlTable } from './toml-table.ts'

/** One entry of a client's configuration file. */
export interface ClientFile {
  path: string
  /** The current entry; null if there is none. */
  entry: string | null
  /** The whole file with the entry replaced and nothing else changed. */
  with(entry: JsonObject): string
  /** The entry as it would be in a new file. */
  snippet(entry: JsonObject): string
  text: string | null
}

export async function readClientFile(kind: ClientKind, path: string, name: string): Promise<ClientFile> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new ExitError(`${path} cannot be read (${error.code}).`, 'check its permissions', 1)
  })
  return kind.format === 'toml' ? tomlFile(kind, path, name, text) : jsonFile(kind, path, name, text)
}

function tomlFile(kind: ClientKind, path: string, name: string, text: string | null): ClientFile {
  const place = kind.place(name, null)
  const found = readTomlTable(text ?? '', place)
  if (found === undefined)
    throw new ExitError(`${place[0]} in ${path} cannot be changed safely.`, 'edit it by hand', 1)
  const table = (entry: JsonObject) => tomlTable(place, entry)
  return {
    path,
    text,
    entry: found,
    snippet: table,
    with: entry => withTomlTable(text ?? '', place, table(entry)),
  }
}

function jsonFile(kind: ClientKind, path: string, name: string, text: string | null): ClientFile {
  const problems: ParseError[] = []
  const settings: Json =
    text === null || text.trim() === '' ? {} : parse(text, problems, { allowTrailingComma: true })
  if (problems.length > 0 || !isObject(settings))
    throw new ExitError(`${path} is not valid JSON, so it was not changed.`, 'fix it, or edit it by hand', 1)
  const place = kind.place(name, settings)
  const found = place.reduce<Json | undefined>(
    (value, key) => (isObject(value) ? value[key] : undefined),
    settings,
  )
  const within = (whole: string, entry: JsonObject) =>
    applyEdits(whole, modify(whole, place, entry, { formattingOptions: formattingOf(whole) }))
  return {
    path,
    text,
    entry: found === undefined ? null : JSON.stringify(found),
    snippet: entry => within('{}', entry),
    with: entry => within(text?.trim() ? text : '{}\n', entry),
  }
}

/** New lines are formatted like the existing ones. */
function formattingOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.startsWith('\t') ? 1 : indent.length, eol }
}

/**
 * Writes a file in one step and keeps a copy of the previous content. Only the owner can read a new file, or an old one
 * that contains a token and its copy.
 */
export async function writeClientFile(
  file: ClientFile,
  text: string,
  holdsToken: boolean,
): Promise<{ backup: string | null }> {
  const target = await realpath(file.path).catch(() => file.path)
  await mkdir(dirname(target), { recursive: true })
  const before = await stat(target).catch(() => null)
  const mode = (before?.mode ?? 0o600) & (holdsToken ? 0o700 : 0o777)
  const backup = before ? `${target}.before-footnote` : null
  if (backup) {
    await copyFile(target, backup)
    await chmod(backup, mode)
  }
  const fresh = `${target}.${process.pid}.new`
  await writeFile(fresh, text, { mode })
  await rename(fresh, target)
  return { backup }
}
