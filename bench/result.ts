import type { Sample } from './measure.ts'

/** One line of the table. Times are in milliseconds. */
export interface Result {
  row: string
  unit: 'ms' | 'MB' | 'B' | '/s'
  p50: number | null
  p95: number | null
  floor_p50: number | null
  floor_p95: number | null
  /** The unit of the target. */
  figure: number | null
  target: Target
  reached: boolean | null
  /** Mean size of an answer. */
  bytes: number | null
  floor_bytes: number | null
}

export interface Target {
  is: 'at most' | 'at least'
  limit: number
  of: '× floor' | '× before' | '× the best way' | '× 10 KB' | '× 10k' | 'ms' | 'ms over /v1' | 'MB' | 'B'
}

export const atMost = (limit: number, of: Target['of']): Target => ({ is: 'at most', limit, of })
export const atLeast = (limit: number, of: Target['of']): Target => ({ is: 'at least', limit, of })

function reached({ is, limit }: Target, figure: number | null): boolean | null {
  if (figure === null) return null
  return is === 'at most' ? figure <= limit : figure >= limit
}

interface Timed {
  row: string
  server: Sample
  floor?: Sample
  target: Target
  /** The ratio of the medians by default. */
  figure?: number
}

export function timed({ row, server, floor, target, figure }: Timed): Result {
  const value = figure ?? (floor ? server.p50 / floor.p50 : server.p50)
  return {
    row,
    unit: 'ms',
    p50: server.p50,
    p95: server.p95,
    floor_p50: floor?.p50 ?? null,
    floor_p95: floor?.p95 ?? null,
    figure: value,
    target,
    reached: reached(target, value),
    bytes: server.bytes,
    floor_bytes: floor?.bytes ?? null,
  }
}

interface Single {
  row: string
  unit: Result['unit']
  value: number | null
  floor?: number
  target: Target
  figure?: number
}

export function single({ row, unit, value, floor, target, figure }: Single): Result {
  const compared = figure ?? (floor === undefined || value === null ? value : value / floor)
  return {
    row,
    unit,
    p50: value,
    p95: null,
    floor_p50: floor ?? null,
    floor_p95: null,
    figure: compared,
    target,
    reached: reached(target, compared),
    bytes: null,
    floor_bytes: null,
  }
}
