import ICAL from 'ical.js'
import type { JsonObject } from '../../model/json.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { asTime, timesAt } from '../times.ts'
import type { CalendarTime, Zones } from './zones.ts'

const KINDS: Record<string, string> = { vevent: 'event', vtodo: 'task', vjournal: 'journal' }

/** The fields of an event, a task or a journal entry, without its id. Throws if it cannot be parsed. */
export function eventOf(text: string, zones: Zones, calendar: string | null): JsonObject {
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
