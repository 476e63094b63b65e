import type { JsonObject } from '../../model/json.ts'
import { record } from '../events.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { type FileItem, findingOf } from '../reading/exported-files.ts'
import { elementItems, type XmlElement } from '../reading/xml-elements.ts'
import { repeatedIds } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { parseWrittenTime } from '../written-time.ts'
import { APPLE_HEALTH } from './declaration.ts'

const ELEMENTS = new Set(['Record', 'Workout', 'ActivitySummary', 'Correlation'])

const BESIDE = /(?:^|\/)(?:workout-routes\/.*\.gpx|export_cda\.xml)$/i

export const recognise: Recognise = async (files, source) =>
  findingOf(APPLE_HEALTH, files, 400, () => healthItems, {
    beside: source.files.filter(({ path }) => BESIDE.test(path)),
  })

function healthItems(file: SourceFile): AsyncGenerator<FileItem> {
  const idOf = repeatedIds('apple health')
  return elementItems(file, ELEMENTS, 'item', (element, place) =>
    // The records inside a correlation are also listed separately.
    element.name === 'Correlation' ? [] : [recordOf(element, idOf, place)],
  )
}

const OWN = [
  'type',
  'unit',
  'value',
  'startDate',
  'endDate',
  'creationDate',
  'sourceName',
  'device',
  'sourceVersion',
]

function recordOf(
  { name, attributes, children }: XmlElement,
  idOf: ReturnType<typeof repeatedIds>,
  place: string,
): ImportEvent {
  const details: JsonObject = {}
  for (const [key, value] of Object.entries(attributes)) if (!OWN.includes(key)) details[key] = value
  for (const child of children) {
    if (child.name === 'MetadataEntry')
      details[plainType(child.attributes.key)] = child.attributes.value ?? ''
    if (child.name === 'WorkoutStatistics')
      details[plainType(child.attributes.type)] = { ...child.attributes }
  }
  const day = attributes.dateComponents
  const started = parseWrittenTime(day ?? attributes.startDate ?? '', null)
  const written = attributes.value ?? attributes.duration ?? attributes.activeEnergyBurned ?? ''
  const number = written.trim() === '' ? Number.NaN : Number(written)
  const type =
    name === 'Workout'
      ? attributes.workoutActivityType
      : name === 'ActivitySummary'
        ? 'ActivitySummary'
        : attributes.type
  const facts = Object.entries(attributes).filter(([key]) => key !== 'device')
  const { id } = idOf(name, ...facts.flat())
  return record('health_records', place, {
    id,
    kind: name === 'Workout' ? 'workout' : name === 'ActivitySummary' ? 'day' : 'measurement',
    type: plainType(type),
    value: Number.isFinite(number) ? number : null,
    value_text: Number.isFinite(number) || written === '' ? null : plainType(written),
    unit: attributes.unit ?? attributes.durationUnit ?? attributes.activeEnergyBurnedUnit ?? null,
    started_at: started?.utc ?? null,
    started_at_local: started?.local ?? null,
    ended_at: parseWrittenTime(attributes.endDate ?? '', null)?.utc ?? null,
    recorded_at: parseWrittenTime(attributes.creationDate ?? '', null)?.utc ?? null,
    device: attributes.sourceName ?? null,
    details,
  })
}

const PREFIX =
  /^HK(?:(?:Quantity|Category|Correlation|Data)TypeIdentifier|CategoryValue|WorkoutActivityType|MetadataKey)?/

/** `HKQuantityTypeIdentifierStepCount` as `Step count`, so that it is found by its words. */
function plainType(type: string | undefined): string {
  const words = (type ?? 'unknown')
    .replace(PREFIX, '')
    .split(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
  return words.map((word, i) => (i > 0 && /^\p{Lu}\p{Ll}/u.test(word) ? word.toLowerCase() : word)).join(' ')
}
