import type { Json, JsonObject } from '../../src/model/json.ts'

type Files = Record<string, string | Uint8Array | Json[] | JsonObject>

/**
 * An export of one format that can be generated in any size. A larger one represents a later export of the same
 * account.
 */
export interface MadeExport {
  format: string
  /** Distinguishes several layouts of a format. */
  layout?: string
  isZip?: boolean
  of(items: number): Files
  /** How many records that many items become; by default one each. */
  records?(items: number): number
  /** Records that are updated because the export grew, such as the conversation of a new message. */
  updates?: number
  /** How many items cannot be read, at any size. */
  rejected?: number
}

export const upTo = <T>(items: number, make: (i: number) => T): T[] =>
  Array.from({ length: items }, (_, i) => make(i))
/** Two consecutive items have the same time, and in every other such pair they differ only in their ids. */
export const words = (i: number) => (i % 4 < 2 ? 'Fresh rye' : `Loaf ${i}`)
export const millis = (i: number) => Date.UTC(2024, 0, 1, 10) + Math.floor(i / 2) * 60_000
export const iso = (i: number) => new Date(millis(i)).toISOString()
export const stamp = (i: number) => iso(i).slice(0, 19)
export const basic = (i: number) => `${stamp(i).replace(/[-:]/g, '')}Z`
export const lines = (items: JsonObject[]) => items.map(item => `${JSON.stringify(item)}\n`).join('')
export const PER_CHAT = 10
export const chats = (items: number) => Math.ceil(items / PER_CHAT)
export const inChat = (items: number, chat: number) =>
  upTo(Math.min(PER_CHAT, items - chat * PER_CHAT), i => chat * PER_CHAT + i)
