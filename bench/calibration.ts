import { median } from './measure.ts'

const ROUNDS = 20_000_000

/** Milliseconds for a fixed loop on one core, to compare measurements of different machines and times. */
export function calibrate(): number {
  const once = () => {
    const started = performance.now()
    let x = 1
    for (let i = 0; i < ROUNDS; i++) x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d + i)
    return x === 0 ? 0 : performance.now() - started
  }
  return median(Array.from({ length: 7 }, once))
}
