import type { Random } from '../../test/random.ts'
import type { PlainMessage } from './texts.ts'

const HAN = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]{2,}/gu

/** A query of words from a message; every kind of query occurs. */
export function drawQuery(random: Random, messages: readonly PlainMessage[]): string {
  const message = random.pick(messages)
  const text = random.chance(0.2) ? `${message.subject} ${message.from}` : excerpt(random, message.body)
  const words = text.split(/\s+/).filter(word => /[\p{L}\p{N}]/u.test(word) && !/^-|["*]/.test(word))
  const word = () => (words.length === 0 ? 'nothing' : random.pick(words))
  const run = (count: number) => {
    const start = random.integer(0, Math.max(0, words.length - count))
    return words.slice(start, start + count).join(' ')
  }
  const unspaced = [...text.matchAll(HAN)].map(match => match[0])
  const kinds: (() => string)[] = [
    () => word(),
    () => `${word()} ${word()}`,
    () => `"${run(random.integer(2, 3))}"`,
    () => `${letters(word()).slice(0, random.integer(2, 5))}*`,
    () => `${word()} -${letters(word())}`,
    () => `${word()} -"${run(2)}"`,
    () => run(random.integer(6, 12)),
    () => `${word()} "${run(2)}" ${word()}`,
    () => {
      const all = Array.from(unspaced.length > 0 ? random.pick(unspaced) : word())
      const start = random.integer(0, Math.max(0, all.length - 2))
      return all.slice(start, start + random.integer(1, 4)).join('')
    },
  ]
  const query = random.pick(unspaced.length > 0 && random.chance(0.5) ? kinds.slice(-1) : kinds)()
  return Array.from(query.toWellFormed().replaceAll('\0', '')).slice(0, 1_000).join('') || 'nothing'
}

function excerpt(random: Random, text: string): string {
  const start = random.integer(0, Math.max(0, text.length - 400))
  return text
    .slice(start, start + 400)
    .replace(/^\S+\s/, '')
    .replace(/\s\S+$/, '')
}

function letters(word: string): string {
  return word.match(/[\p{L}\p{N}]+/u)?.[0] ?? word
}
