import { number } from '../../model/amounts.ts'

const REDRAW_MS = 100
const BAR_CELLS = 20

export interface Progress {
  show(seen: number, done: number): void
  /** Removes the bar. */
  end(): void
}

const SILENT: Progress = { show() {}, end() {} }

/** A bar with items, rate and time left if the stream is a terminal; nothing otherwise. */
export function progressOn(stream: NodeJS.WriteStream, items: number, exact: boolean): Progress {
  if (!stream.isTTY) return SILENT
  const began = performance.now()
  let first: { seen: number; done: number } | null = null
  let drawn = 0
  return {
    show(seen, done) {
      const now = performance.now()
      first ??= { seen, done }
      if (now - drawn < REDRAW_MS) return
      drawn = now
      const seconds = (now - began) / 1000
      const rate = (seen - first.seen) / Math.max(0.1, seconds)
      const left = done > first.done ? (seconds * (1 - done)) / (done - first.done) : null
      stream.write(`\r\x1b[K${barText({ seen, done, items, exact, rate, left })}`)
    },
    end: () => stream.write('\r\x1b[K'),
  }
}

export function barText(at: {
  seen: number
  done: number
  items: number
  exact: boolean
  rate: number
  left: number | null
}): string {
  const cells = Math.round(Math.min(1, at.done) * BAR_CELLS)
  const bar = `${'█'.repeat(cells)}${'░'.repeat(BAR_CELLS - cells)}`
  const of = `${number(at.seen)} of ${at.exact ? '' : 'about '}${number(Math.max(at.items, at.seen))}`
  const left = at.left === null ? '' : `  ${duration(at.left)} left`
  return `${bar}  ${of}  ${number(Math.round(at.rate))}/s${left}`
}

export function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}
