import type { JsonObject } from '../../model/json.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { problemOf } from '../json-items.ts'
import { findingOf } from '../reading/exported-files.ts'
import { readFileItems } from '../reading/file-items.ts'
import { type XmlElement, xmlElements } from '../reading/xml-elements.ts'
import { repeatCounter, repeatedId } from '../repeats.ts'
import { parseWrittenTime } from '../written-time.ts'
import { APPLE_HEALTH } from './declaration.ts'

const ELEMENTS = new Set(['Record', 'Workout', 'ActivitySummary', 'Correlation'])

export const recognise: Recognise = async (files, source) => {
  return findingOf(
    APPLE_HEALTH,
    files,
    400,
    from =>
      readFileItems(files, from, async function* (file) {
        const repeats = repeatCounter()
        for await (const { element, problem, index, end } of xmlElements(file, ELEMENTS)) {
          const place = `${file.path}, item ${index + 1}`
          // The records inside a correlation are also listed separately.
          if (element?.name === 'Correlation') continue
          const event: ImportEvent = element
            ? recordOf(element, repeats, place)
            : { kind: 'rejection', place, ...problemOf(problem ?? 'cut_off') }
          yield { events: () => [event], end }
        }
      }),
    source.files.filter(({ path }) => /(?:^|\/)(?:workout-routes\/.*\.gpx|export_cda\.xml)$/i.test(path)),
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
  repeats: (id: string) => number,
  place: string,
): ImportEvent {
  const details: JsonObject = {}
  for (const [key, value] of Object.entries(attributes)) if (!OWN.includes(key)) details[key] = value
  for (const child of children) {
    if (child.name === 'MetadataEntry') details[child.attributes.key ?? ''] = child.attributes.value ?? ''
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
  const facts = [
    name,
    ...Object.entries(attributes)
      .filter(([key]) => key !== 'device')
      .flat(),
  ]
  const repeat = repeats(facts.join('\n'))
  const id = repeatedId(repeat, 'apple health', ...facts)
  const data = {
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
  }
  return { kind: 'record', stream: 'health_records', key: id, data, place }
}

/** `HKQuantityTypeIdentifierStepCount` as `StepCount`. */
function plainType(type: string | undefined): string {
  return (type ?? 'unknown').replace(
    /^HK(?:(?:Quantity|Category|Correlation|Data)TypeIdentifier|CategoryValue|WorkoutActivityType)?/,
    '',
  )
}
