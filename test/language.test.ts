import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')

/** Phrases that are not plain English, each with an example and what to write instead. */
const PATTERNS: readonly { pattern: RegExp; example: string; instead: string }[] = [
  {
    pattern: /\bstands? (in|on|at|there|behind|beside|before|above|below|between|alone|together|under)\b/,
    example: 'no token stands in a configuration',
    instead: 'is stored, is listed, comes after, means',
  },
  { pattern: /\banew\b/, example: 'the index is made anew', instead: 'rebuilt, again' },
  { pattern: /\b(broken?|breaks?) off\b/, example: 'an import that was broken off', instead: 'interrupted' },
  {
    pattern: /\bgo(es|ing)? on\b/,
    example: 'a killed one goes on where it was',
    instead: 'resume, continue',
  },
  {
    pattern:
      /(?<![Tt]here )\b(is|was|are) no (cursor|value|record|field|file|folder|place|text|time|number|object|window|JSON|hit)\b/,
    example: 'This is no cursor of this server.',
    instead: 'is not a cursor',
  },
  {
    pattern: /\bThere is no (recipe|command)\b/,
    example: 'There is no recipe for "x".',
    instead: 'Unknown client "x"',
  },
  {
    pattern: /\bby way of others\b/,
    example: 'No file imports itself by way of others',
    instead: 'circular',
  },
  { pattern: /\bshows? through\b/, example: 'hidden fields show through nowhere', instead: 'leak' },
  { pattern: /\bin mid-\w+/, example: 'killed in mid-ingest', instead: 'during ingest' },
  { pattern: /\bas it stands\b/, example: 'the text as it stands', instead: 'original, unchanged' },
  {
    pattern: /\bbeginnings? of (a )?words?\b/,
    example: 'phrases and beginnings of words',
    instead: 'prefixes',
  },
  {
    pattern: /\b(is|are) not for (a|this|the)\b/,
    example: 'POST is not for this address.',
    instead: 'not allowed',
  },
  { pattern: /\bthe very (same|end)\b/, example: 'the very same files', instead: 'exactly the same' },
  {
    pattern: /\bwhoever is\b|\bnobody foresaw\b/,
    example: 'a failure that nobody foresaw',
    instead: 'unexpected',
  },
  { pattern: /\bsample life\b/, example: 'imports a sample life', instead: 'sample data' },
  { pattern: /\bnot in order\b/i, example: 'Not in order: database.', instead: 'Failed checks' },
  { pattern: /\ball the same\b/, example: 'the grant is refused all the same', instead: 'still' },
  { pattern: /\blines of JSON\b/, example: 'everything as lines of JSON', instead: 'JSON lines' },
  { pattern: /\bas of one moment\b/, example: 'a copy as of one moment', instead: 'a consistent snapshot' },
  {
    pattern: /\bexclude each other\b|\bneed each other\b/,
    example: 'view and fields exclude each other',
    instead: 'cannot be combined, must be used together',
  },
  {
    pattern: /\bnext request on\b/,
    example: 'it can read it from its next request on',
    instead: 'at its next request',
  },
  { pattern: /\bone (object )?a line\b/, example: 'one object a line', instead: 'one per line' },
  {
    pattern: /\b(is|are|was|were) (not )?let in\b/,
    example: 'an app that was let in',
    instead: 'allowed, has access',
  },
  { pattern: /\bstops? to \w+/i, example: 'Stops to watch a folder', instead: 'Stops watching' },
  { pattern: /\b(make|makes) room\b/, example: 'make room on the disk', instead: 'free some space' },
  { pattern: /\byou alone\b/, example: 'readable by you alone', instead: 'only by you' },
  { pattern: /\bOf the others?\b/, example: 'Of the other files, on average', instead: 'the other files' },
  { pattern: /\bthereby\b/, example: 'it is thereby served first', instead: 'so' },
  {
    pattern: /\btakes no (words|filters|part in)\b/,
    example: 'export takes no words.',
    instead: 'accepts no arguments',
  },
  {
    pattern: /\b(will be|is|are) made (at|by) the (first start|server)\b/,
    example: 'The tables are made by the server',
    instead: 'created',
  },
]

const TEXTS = [
  'src/**/*.ts',
  'bin/*.js',
  'bench/**/*.ts',
  'test/**/*.ts',
  'docs/**/*.md',
  'samples/README.md',
  '*.md',
]

function findings(text: string): string[] {
  return text
    .split('\n')
    .flatMap(line =>
      PATTERNS.filter(({ pattern }) => pattern.test(line)).map(
        ({ instead }) => `${line.trim()} (${instead})`,
      ),
    )
}

test('texts are plain English', () => {
  const files = globSync(TEXTS, { cwd: ROOT, exclude: ['test/language.test.ts'] })
  assert.ok(files.length > 100)
  const found = files.flatMap(file =>
    findings(readFileSync(join(ROOT, file), 'utf8')).map(finding => `${file}: ${finding}`),
  )
  assert.deepEqual(found, [])
})

test('each phrase is found, and its replacement is not', () => {
  for (const { pattern, example, instead } of PATTERNS) {
    assert.match(example, pattern)
    assert.deepEqual(findings(instead), [])
  }
})
