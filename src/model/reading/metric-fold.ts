import { numberOrderKey, orderKey } from '../declaration/keys.ts'
import { isRawNumber, type Json, rawNumber } from '../json.ts'
import { compareKeys } from './filter.ts'

export const METRICS = ['count', 'sum', 'min', 'max', 'count_distinct'] as const
export type Metric = (typeof METRICS)[number]

/** Accumulates the values of records one by one. */
export interface MetricFold {
  add(value: Json | undefined, format: string | undefined): void
  value(): Json
  /** The order key by which groups are compared: the largest comes first, of minima the smallest. */
  rank(): string | null
}

export function foldOf(metric: Metric): MetricFold {
  switch (metric) {
    case 'count':
      return { add: () => {}, value: () => null, rank: () => null }
    case 'sum':
      return new Sum()
    case 'min':
      return new Extreme(-1)
    case 'max':
      return new Extreme(1)
    case 'count_distinct':
      return new Distinct()
  }
}

/** Up to this many digits after the point are added exactly. */
const EXACT_DIGITS = 20
const DECIMAL = new RegExp(`^(-?\\d+)\\.(\\d{1,${EXACT_DIGITS}})$`)

/** Adds decimals as they are written, so that amounts of money add up to the cent, in any order. */
class Sum implements MetricFold {
  #whole = 0n
  /** Decimals, in units of the last exact digit. */
  #decimals = 0n
  #others = 0
  #fractional = false

  add(value: Json | undefined): void {
    const text = typeof value === 'number' ? String(value) : isRawNumber(value) ? value.rawJSON : null
    if (text === null) return
    if (/^-?\d+$/.test(text)) {
      this.#whole += BigInt(text)
      return
    }
    this.#fractional = true
    const [, whole, fraction] = DECIMAL.exec(text) ?? []
    if (fraction === undefined) this.#others += Number(text)
    else this.#decimals += BigInt(`${whole}${fraction.padEnd(EXACT_DIGITS, '0')}`)
  }

  value(): Json {
    if (this.#fractional) return Number(this.#decimalText()) + this.#others
    const number = Number(this.#whole)
    if (Number.isSafeInteger(number)) return number
    return rawNumber(String(this.#whole))
  }

  /** By size: what was spent most is a large negative sum. */
  rank(): string {
    const value = this.value()
    return numberOrderKey((isRawNumber(value) ? value.rawJSON : String(value)).replace('-', ''))
  }

  #decimalText(): string {
    const exact = this.#whole * 10n ** BigInt(EXACT_DIGITS) + this.#decimals
    const digits = String(exact)
      .replace('-', '')
      .padStart(EXACT_DIGITS + 1, '0')
    return `${exact < 0n ? '-' : ''}${digits.slice(0, -EXACT_DIGITS)}.${digits.slice(-EXACT_DIGITS)}`
  }
}

class Extreme implements MetricFold {
  readonly #sign: 1 | -1
  #key: string | null = null
  #value: Json = null

  constructor(sign: 1 | -1) {
    this.#sign = sign
  }

  add(value: Json | undefined, format: string | undefined): void {
    const key = orderKey(value, format)
    if (key === null || value === undefined) return
    if (this.#key === null || compareKeys(key, this.#key) * this.#sign > 0) {
      this.#key = key
      this.#value = value
    }
  }

  value(): Json {
    return this.#value
  }

  rank(): string | null {
    return this.#key
  }
}

class Distinct implements MetricFold {
  readonly #keys = new Set<string>()

  add(value: Json | undefined, format: string | undefined): void {
    const key = orderKey(value, format)
    if (key !== null) this.#keys.add(key)
  }

  value(): Json {
    return this.#keys.size
  }

  rank(): string {
    return numberOrderKey(String(this.#keys.size))
  }
}
