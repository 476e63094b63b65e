import ICAL from 'ical.js'
import type { JsonObject } from '../../model/json.ts'
import { record, rejection } from '../events.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { type FileItem, findingOf, type ItemsOf } from '../reading/exported-files.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { blocksIn, blocksOf, type LineBlock } from '../reading/line-blocks.ts'
import { type Identified, type VersionOf, versionsIn } from '../reading/versions.ts'
import { recordIdOf } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { asTime, timesAt } from '../times.ts'
import { CALENDAR } from './declaration.ts'
import { type CalendarTime, Zones } from './zones.ts'

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

const KINDS: Record<string, string> = { vevent: 'event', vtodo: 'task', vjournal: 'journal' }

/** The fields of an event, a task or a journal entry, without its id. Throws if it cannot be parsed. */
function eventOf(text: string, zones: Zones, calendar: string | null): JsonObject {
  const component = new ICAL.Component(parsed(text))
  const property = (name: string) => component.getFirstProperty(name)
  const time = (name: string) => zones.timeOf(property(name))
  const start = time('dtstart')
  const due = time('due')
  const completed = time('completed')
  const end = time('dtend') ?? endAfter(start, property('duration'))
  const main = start ?? due ?? completed
  const [rule] = valuesOf(component, 'rrule')
  const extra = valuesOf(component, 'rdate')
  return {
    title: textOf(component, 'summary'),
    // A journal entry may have several.
    text: valuesOf(component, 'description').map(shown).join('\n\n').trim() || null,
    kind: KINDS[component.name] ?? 'event',
    calendar,
    starts_at: main?.utc ?? null,
    starts_at_local: main?.local ?? null,
    ends_at: end?.utc ?? null,
    ends_at_local: end?.local ?? null,
    time_zone: main?.zone ?? null,
    is_all_day: main?.isDay === true,
    due_at: due?.utc ?? null,
    completed_at: completed?.utc ?? null,
    location: textOf(component, 'location'),
    organizer: personOf(property('organizer')),
    attendees: component.getAllProperties('attendee').flatMap(each => personOf(each) ?? []),
    status: textOf(component, 'status')?.toLowerCase() ?? null,
    categories: valuesOf(component, 'categories'),
    links: linksOf(component),
    is_recurring: rule !== undefined || extra.length > 0,
    recurrence: rule ?? null,
    more_dates: extra,
    excluded_dates: valuesOf(component, 'exdate'),
    replaces_at: time('recurrence-id')?.utc ?? null,
    created_at: time('created')?.utc ?? null,
    updated_at: time('last-modified')?.utc ?? null,
    source_id: textOf(component, 'uid'),
  }
}

/** Leaves out invalid lines. Throws if no title, time or description remains. */
function parsed(text: string): ReturnType<typeof ICAL.parse> {
  try {
    return ICAL.parse(text)
  } catch (error) {
    const lines = text.replace(/\r\n[ \t]/g, '').split('\r\n')
    const sound = lines.filter(line => /^(BEGIN|END):/i.test(line) || isSound(line))
    if (!sound.some(line => /^(SUMMARY|DTSTART|DUE|DESCRIPTION)[;:]/i.test(line))) throw error
    return ICAL.parse(sound.join('\r\n'))
  }
}

function isSound(line: string): boolean {
  try {
    ICAL.parse(`BEGIN:VEVENT\r\n${line}\r\nEND:VEVENT`)
    return true
  } catch {
    return false
  }
}

/** The values of all properties with this name as text, without invalid ones. */
function valuesOf(component: ICAL.Component, name: string): string[] {
  return component.getAllProperties(name).flatMap(property => {
    try {
      return property.getValues().map(String)
    } catch {
      return []
    }
  })
}

/** Google and others write descriptions in HTML. */
function shown(description: string): string {
  if (!/<\/?(?:a|b|br|div|html|i|li|ol|p|span|strong|u|ul)(?:\s[^<>]*)?\/?>/i.test(description))
    return description
  const hasLines = /<(?:br|div|li|p)\b/i.test(description)
  return textOfHtml(hasLines ? description : description.replaceAll('\n', '<br>'))
}

function textOf(component: ICAL.Component, name: string): string | null {
  return valuesOf(component, name)[0]?.trim() || null
}

/** `Ada <ada@example.org>`, `ada@example.org` */
function personOf(property: ICAL.Property | null): string | null {
  const address = String(property?.getFirstValue() ?? '').replace(/^mailto:/i, '')
  const name = property?.getFirstParameter('cn')?.trim()
  if (!name || name === address) return address || null
  return address === '' ? name : `${name} <${address}>`
}

function linksOf(component: ICAL.Component): string[] {
  const values = ['url', 'attach', 'conference', 'x-google-conference'].flatMap(name =>
    valuesOf(component, name),
  )
  return [...new Set(values.filter(value => /^https?:\/\//i.test(value)))]
}

function endAfter(start: CalendarTime | null, property: ICAL.Property | null): CalendarTime | null {
  const duration = property?.getFirstValue()
  if (!start || !(duration instanceof ICAL.Duration)) return null
  const after = (iso: string) => timesAt(Date.parse(iso) + duration.toSeconds() * 1000, 0)?.utc
  const [, clock = '', offset = ''] = /^(.*?)([+-]\d{2}:\d{2})?$/.exec(start.local) ?? []
  const [utc, local] = [after(start.utc), after(`${clock}Z`)?.replace('Z', offset)]
  if (utc === undefined || local === undefined) return null
  if (!start.isDay) return { utc: asTime(utc), local, zone: start.zone, isDay: false }
  return { utc, local: local.replace(/T00:00:00$/, ''), zone: null, isDay: true }
}
