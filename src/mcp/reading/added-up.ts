import { isObject, type Json, type JsonObject, objectsIn } from '../../model/json.ts'
import { compareKeys } from '../../model/reading/filter.ts'
import { someNames } from '../../model/some-names.ts'
import { type Counted, MOST_NAMED, nameText } from './every-stream.ts'

/** Warnings that one stream gives about itself, and that are wrong for the others. */
const OF_ONE_STREAM = ['words_unknown', 'streams_left_out']

/** The figures of several streams as those of one. With a granularity their groups are times, the newest first. */
export function addedUp(
  counted: readonly Counted[],
  asked: { group_by?: string | undefined; granularity?: string | undefined; limit: number },
): { data: JsonObject; notes: string[] } {
  const all = counted.map(({ figures }) => figures)
  const total = sum(all.map(({ filtered_record_count, value }) => filtered_record_count ?? value))
  const streams = counted
    .map(({ stream, figures: { filtered_record_count, value, group_by, group_by_time } }) => ({
      stream,
      record_count: sum([filtered_record_count ?? value]),
      ...(typeof group_by === 'string' ? { group_by } : {}),
      ...(typeof group_by_time === 'string' ? { group_by_time } : {}),
    }))
    .sort((a, b) => b.record_count - a.record_count || compareKeys(a.stream, b.stream))
  const isGrouped = all.some(({ groups }) => Array.isArray(groups))
  const cut = counted.filter(({ figures }) => sum([figures.other_count]) > 0)
  // Each stream gives its newest 100 times, so those that are shown are complete.
  const isCut = isGrouped && asked.granularity === undefined && cut.length > 0
  const warnings = commonWarnings(all)
  return {
    data: {
      object: 'aggregation',
      streams,
      metric: 'count',
      group_by: asked.granularity === undefined ? (asked.group_by ?? null) : null,
      granularity: asked.granularity ?? null,
      time_zone: all.find(({ time_zone }) => typeof time_zone === 'string')?.time_zone ?? null,
      approximate: isCut,
      ...(isGrouped ? groupsOf(all, { ...asked, total, isWhole: cut.length === 0 }) : { value: total }),
      filtered_record_count: total,
      ...(warnings.length > 0 ? { meta: { warnings } } : {}),
    },
    notes: isCut
      ? [
          `Counts are at least these: of ${someNames(
            cut.map(({ stream }) => nameText(stream)),
            MOST_NAMED,
          )} only the largest 100 groups were added.`,
        ]
      : [],
  }
}

/** The sum of streams as a group for each of them. */
export function groupedByStream({ value, ...data }: JsonObject, limit: number): JsonObject {
  const groups = objectsIn(data.streams).flatMap(({ stream = null, record_count }) =>
    sum([record_count]) > 0 ? [{ key: stream, count: sum([record_count]) }] : [],
  )
  const shown = groups.slice(0, limit)
  const other_count = sum(groups.slice(limit).map(({ count }) => count))
  const others = other_count > 0 ? { other_count, other_groups: groups.length - limit } : {}
  return { ...data, group_by: 'stream', limit, groups: shown, ...others }
}

function groupsOf(
  all: readonly JsonObject[],
  {
    granularity,
    limit,
    total,
    isWhole,
  }: { granularity?: string | undefined; limit: number; total: number; isWhole: boolean },
): JsonObject {
  const byKey = new Map<string, { key: Json; count: number }>()
  for (const { key = null, count } of all.flatMap(({ groups }) => objectsIn(groups))) {
    const name = JSON.stringify(key)
    byKey.set(name, { key, count: (byKey.get(name)?.count ?? 0) + sum([count]) })
  }
  const text = ({ key }: { key: Json }) => (typeof key === 'string' ? key : '')
  const groups = [...byKey.values()].sort((a, b) =>
    granularity === undefined
      ? b.count - a.count || compareKeys(text(a), text(b))
      : compareKeys(text(b), text(a)),
  )
  const shown = groups.slice(0, limit)
  const other_count = total - sum(shown.map(({ count }) => count))
  return {
    limit,
    groups: shown,
    ...(other_count > 0
      ? { other_count, ...(isWhole ? { other_groups: groups.length - shown.length } : {}) }
      : {}),
  }
}

/** Warnings about the request; those of a stream about itself only if every stream gives them. */
function commonWarnings(all: readonly JsonObject[]): JsonObject[] {
  const lists = all.map(({ meta }) => (isObject(meta) ? objectsIn(meta.warnings) : []))
  const byMessage = new Map(lists.flat().map(warning => [String(warning.message), warning]))
  return [...byMessage].flatMap(([message, warning]) => {
    // A stream that was left out says nothing about words.
    const isCommon = lists.every(list =>
      list.some(each => each.message === message || each.code === 'streams_left_out'),
    )
    return isCommon || !OF_ONE_STREAM.includes(String(warning.code)) ? [warning] : []
  })
}

function sum(values: readonly (Json | undefined)[]): number {
  return values.reduce<number>((total, value) => total + (typeof value === 'number' ? value : 0), 0)
}
