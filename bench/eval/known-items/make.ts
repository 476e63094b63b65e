import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { translationsIn } from './catalogue.ts'
import { formsAmong } from './forms.ts'
import { KNOWN_LANGUAGES, type KnownLanguage } from './languages.ts'
import { type KnownText, longWords, type Question, questionsAbout } from './questions.ts'

/** What is written for a language. */
export interface KnownItems {
  language: string
  documents: KnownText[]
  questions: Question[]
}

const LEAST_CHARS = 60
const HUNSPELL = ['hunspell', 'libhunspell-1.7-0']

/** Downloads Debian packages and makes questions about their texts: one JSON file per language. */
export function makeKnownItems(target: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'footnote-known-items-'))
  const dictionaries = KNOWN_LANGUAGES.flatMap(({ dictionary }) => dictionary?.package ?? [])
  const texts = KNOWN_LANGUAGES.map(({ code }) => `libreoffice-l10n-${code}`)
  try {
    execFileSync('apt-get', ['download', ...HUNSPELL, ...dictionaries, ...texts], { cwd: folder })
    for (const name of readdirSync(folder).filter(name => name.endsWith('.deb')))
      execFileSync('dpkg-deb', ['-x', join(folder, name), join(folder, 'unpacked')])
    const place = join(target, 'known-items')
    mkdirSync(place, { recursive: true })
    for (const language of KNOWN_LANGUAGES) {
      const known = knownItems(folder, language)
      writeFileSync(join(place, `${language.code}.json`), `${JSON.stringify(known, null, 1)}\n`)
      console.log(`${language.code}: ${known.documents.length} texts, ${known.questions.length} questions`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function knownItems(folder: string, language: KnownLanguage): KnownItems {
  const { code } = language
  const texts = textsOf(join(folder, 'unpacked'), language)
  const documents = texts.map((text, i) => ({ id: `${code}${i}`, text }))
  const words = new Set(texts.flatMap(text => longWords(text, language)))
  const forms = formsAmong(words, folder, language)
  return { language: code, documents, questions: questionsAbout(documents, language, forms) }
}

/** Translated messages that are long enough to be asked for. */
function textsOf(unpacked: string, { code, script }: KnownLanguage): string[] {
  const place = join(unpacked, 'usr', 'lib', 'libreoffice', 'program', 'resource', code, 'LC_MESSAGES')
  const files = readdirSync(place).filter(name => name.endsWith('.mo'))
  const texts = files.sort().flatMap(name => translationsIn(join(place, name)))
  const isLong = (text: string) => Array.from(text).length >= LEAST_CHARS / (isWide(text) ? 2 : 1)
  return [...new Set(texts.map(text => text.replaceAll('~', '').trim()))].filter(
    text => isLong(text) && script.test(text),
  )
}

/** A character of these scripts carries about as much as two letters. */
function isWide(text: string): boolean {
  return /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text)
}
