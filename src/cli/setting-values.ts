import { NOT_OWN_NAMES, ownNamesIn } from '../model/reading/people.ts'
import { TimeZone } from '../model/time-zone.ts'
import { publicOrigin } from '../origin/address.ts'
import { TrustedProxies } from '../origin/caller.ts'
import { UsageError } from './terminal/exit-errors.ts'

/** The values that a setting accepts, and the one that it has if none is given. */
export interface Values<T> {
  fallback: T
  /** Throws if the text is not valid. `flag` names the setting. */
  read(text: string, flag: string): T
}

export function text<T extends string | undefined>(fallback: T): Values<string | T> {
  return { fallback, read: given => given }
}

export function wholeNumber(fallback: number, most: number): Values<number> {
  return {
    fallback,
    read(given, flag) {
      if (/^\d{1,9}$/.test(given) && Number(given) <= most) return Number(given)
      throw new UsageError(`${flag} must be a whole number from 0 to ${most}.`, `${flag} ${fallback}`)
    },
  }
}

/** A limit, of which 0 is none. */
export function limit(fallback: number, most: number): Values<number | null> {
  const { read } = wholeNumber(fallback, most)
  return { fallback, read: (given, flag) => read(given, flag) || null }
}

export function onOrOff(fallback: boolean): Values<boolean> {
  return {
    fallback,
    read(given, flag) {
      if (given === 'on' || given === 'off') return given === 'on'
      throw new UsageError(`${flag} must be on or off.`, `${flag} off`)
    },
  }
}

export function oneOf<T extends string>([fallback, ...others]: readonly [T, ...T[]]): Values<T> {
  const choices = [fallback, ...others]
  return {
    fallback,
    read(given, flag) {
      const found = choices.find(choice => choice === given)
      if (found) return found
      throw new UsageError(`${flag} must be ${choices.join(' or ')}.`, `${flag} ${choices.at(-1)}`)
    },
  }
}

export const DATABASE_URL: Values<string | undefined> = {
  fallback: undefined,
  read(given, flag) {
    if (/^postgres(ql)?:\/\//.test(given)) return given
    throw new UsageError(`${flag} must be a postgres:// address.`, 'leave it out to use SQLite in --data-dir')
  },
}

export const ORIGIN: Values<string | null> = {
  fallback: null,
  read(given, flag) {
    const origin = publicOrigin(given)
    if (origin !== null) return origin
    throw new UsageError(`${flag} must be an origin without a path.`, `${flag} https://footnote.example.org`)
  },
}

/** Origins of pages. */
export const ORIGINS: Values<readonly string[]> = {
  fallback: [],
  read(given, flag) {
    const origins = separated(given)
    if (origins.every(origin => URL.canParse(origin) && new URL(origin).origin === origin)) return origins
    throw new UsageError(
      `${flag} must be a comma-separated list of origins, each exactly as a browser sends it.`,
      `${flag} https://chat.example.org,http://localhost:6274`,
    )
  },
}

/** The names of a person. */
export const NAMES: Values<readonly string[]> = {
  fallback: [],
  read(given, flag) {
    const names = ownNamesIn(given)
    if (names !== null) return names
    throw new UsageError(`${flag} ${NOT_OWN_NAMES}`, `${flag} "Ann Example, ann@example.org"`)
  },
}

export const PROXIES: Values<readonly string[]> = {
  fallback: [],
  read(given, flag) {
    const proxies = separated(given)
    try {
      new TrustedProxies(proxies)
      return proxies
    } catch {
      const message = `${flag} must be a comma-separated list of addresses or networks.`
      throw new UsageError(message, `${flag} 127.0.0.1,10.0.0.0/8`)
    }
  },
}

export const TOKEN: Values<string | null> = {
  fallback: null,
  read(given, flag) {
    if (/^[\x21-\x7e]{16,200}$/.test(given)) return given
    throw new UsageError(
      `${flag} must be 16 to 200 ASCII characters without spaces.`,
      'openssl rand -hex 32 makes a good one',
    )
  },
}

export const TIME_ZONE: Values<string | undefined> = {
  fallback: undefined,
  read(given, flag) {
    try {
      return new TimeZone(given).name
    } catch {
      throw new UsageError(`${flag} must be an IANA name.`, `${flag} Europe/Berlin`)
    }
  },
}

function separated(text: string): string[] {
  return text.split(',').flatMap(part => part.trim() || [])
}
