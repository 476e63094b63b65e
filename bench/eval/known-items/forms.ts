import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KnownLanguage } from './languages.ts'

/** The words of a list, each with the others that have the same stem. Independent of everything that search uses. */
export function formsAmong(
  words: ReadonlySet<string>,
  folder: string,
  { dictionary, stemmer }: KnownLanguage,
): Map<string, string[]> {
  const families = new Map<string, Set<string>>()
  const stems = stemmer
    ? [...words].map(word => [word, stemmer(word)] as const)
    : dictionary
      ? stemsByHunspell(words, folder, dictionary.name)
      : []
  for (const [word, stem] of stems)
    if (words.has(word)) families.set(stem, (families.get(stem) ?? new Set()).add(word))
  const forms = new Map<string, string[]>()
  for (const family of families.values())
    for (const word of family) {
      const others = [...family].filter(other => other !== word)
      if (others.length > 0) forms.set(word, [...(forms.get(word) ?? []), ...others])
    }
  return forms
}

/** Each word with its stems, by the hunspell that was unpacked in the folder. */
function stemsByHunspell(words: ReadonlySet<string>, folder: string, dictionary: string): [string, string][] {
  const file = join(folder, 'words.txt')
  writeFileSync(file, `${[...words].join('\n')}\n`)
  const unpacked = join(folder, 'unpacked', 'usr')
  const output = execFileSync(
    join(unpacked, 'bin', 'hunspell'),
    ['-s', '-i', 'UTF-8', '-d', join(unpacked, 'share', 'hunspell', dictionary), file],
    {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: { ...process.env, LC_ALL: 'C.UTF-8', LD_LIBRARY_PATH: join(unpacked, 'lib', 'x86_64-linux-gnu') },
      // Reports words that the dictionary's encoding cannot represent.
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  return output.split('\n').flatMap(line => {
    const [word = '', stem] = line.trim().split(/\s+/)
    return stem === undefined ? [] : [[word, stem] as [string, string]]
  })
}
