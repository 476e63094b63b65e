import type { JsonObject } from '../../model/json.ts'
import { record, rejection } from '../events.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { type FileItem, findingOf, type ItemsOf } from '../reading/exported-files.ts'
import { blocksIn, blocksOf, type LineBlock } from '../reading/line-blocks.ts'
import { type Identified, type VersionOf, versionsIn } from '../reading/versions.ts'
import { recordIdOf } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { CALENDAR } from './declaration.ts'
import { eventOf } from './event.ts'
import { Zones } from './zones.ts'

const ITEM_BYTES = 500
const ITEMS = new Set(['VEVENT', 'VTODO', 'VJOURNAL'])
const BLOCKS = new Set([...ITEMS, 'VTIMEZONE'])

export const recognise: Recognise = async (files, { timeZone }) => {
  const begin = async (): Promise<ItemsOf> => {
    const versionOf = await versionsIn(files, allItems)
    return file => itemsOf(file, versionOf, timeZone)
  }
  return findingOf(CALENDAR, files, ITEM_BYTES, begin, await blocksIn(files, ITEMS, ITEM_BYTES))
}

async function* allItems(file: SourceFile): AsyncGenerator<Identified> {
  for await (const { name, lines } of blocksOf(file, BLOCKS)) {
    if (lines !== null && name !== 'VTIMEZONE')
      yield { id: idOf(name, lines), content: () => contentOf(lines) }
  }
}

async function* itemsOf(file: SourceFile, versionOf: VersionOf, timeZone = 'UTC'): AsyncGenerator<FileItem> {
  const zones = new Zones(timeZone)
  let name: string | null = null
  const around = (line: string) => {
    const [, key, value] = /^X-WR-(CALNAME|TIMEZONE)[^:]*:(.*)$/i.exec(line) ?? []
    if (key?.toUpperCase() === 'CALNAME') name = value?.trim() || null
    if (key?.toUpperCase() === 'TIMEZONE') zones.assumed = value?.trim() || null
  }
  for await (const block of blocksOf(file, BLOCKS, around)) {
    if (block.name === 'VTIMEZONE') {
      if (block.lines) zones.define(block.lines.join('\r\n'))
      continue
    }
    const called = name
    yield { events: () => eventsOf(block, called), end: block.end }
  }

  function* eventsOf(block: LineBlock, calendarName: string | null): Generator<ImportEvent> {
    const place = `${file.path}, line ${block.line}`
    if (block.lines === null) {
      yield rejection(place, block.problem)
      return
    }
    let fields: JsonObject
    try {
      fields = eventOf(datesMarked(block.lines).join('\r\n'), zones, calendarName)
    } catch (error) {
      const message = `The item is not valid iCalendar: ${(error as Error).message.split('\n')[0]}.`
      yield rejection(place, { code: 'not_icalendar', message })
      return
    }
    const id = idOf(block.name, block.lines)
    const { lines } = block
    const key = recordIdOf('calendar item', id, ...versionOf(id, () => contentOf(lines)))
    yield record('calendar_events', place, { id: key, ...fields })
  }
}

/** An item is identified by its UID; a changed instance of a series also by its time. */
function idOf(name: string, lines: readonly string[]): string {
  const written = (key: RegExp) =>
    lines
      .find(line => key.test(line))
      ?.replace(/^[^:]*:/, '')
      .trim()
  const uid = written(/^UID[;:]/i)
  return [
    name,
    uid ?? contentOf(lines),
    uid === undefined ? '' : (written(/^RECURRENCE-ID[;:]/i) ?? ''),
  ].join('\n')
}

/** Without the time of the export, which some calendars write into each item. */
function contentOf(lines: readonly string[]): string {
  return lines.filter(line => !/^DTSTAMP[;:]/i.test(line)).join('\n')
}

/** Some calendars write a date without `VALUE=DATE`. */
function datesMarked(lines: readonly string[]): string[] {
  return lines.map(line =>
    line.replace(/^(DTSTART|DTEND|DUE|RECURRENCE-ID):(\d{8})\s*$/i, '$1;VALUE=DATE:$2'),
  )
}
