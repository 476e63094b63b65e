import fc from 'fast-check'

/**
 * Input that breaks parsers: separators, escapes, invisible and wide characters, names of object members, limits of
 * numbers.
 */
const NASTY = [
  ...'/:\\.%?#&=[]{}"\'<>;,|*+-()!~^@$` \n\r\t',
  ...['..', '../', '%2f', '%00', '\0', '\u202E', '\u2028', '\uD800', '🙂', 'ü', '漢', '\uFEFF', '\u0301'],
  ...[
    '__proto__',
    'constructor',
    'null',
    'NaN',
    '-1',
    '1e309',
    '9007199254740993',
    '--',
    '\r\n\r\n',
    '=?',
    'From ',
  ],
]

export const nasty = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NASTY) },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom(...NASTY), { maxLength: 8 }).map(parts => parts.join('')),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.nat(3_000).map(n => 'x'.repeat(n)) },
)

/** One change of a text, at a place between its start (0) and its end (1). */
interface Change {
  at: number
  kind: 'insert' | 'remove' | 'cut' | 'repeat' | 'upper' | 'replace'
  text: string
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  kind: fc.constantFrom('insert', 'insert', 'remove', 'cut', 'repeat', 'upper', 'replace'),
  text: nasty,
})

function changed(text: string, { at, kind, text: more }: Change): string {
  const place = Math.floor(at * text.length)
  const [before, after] = [text.slice(0, place), text.slice(place)]
  if (kind === 'insert') return before + more + after
  if (kind === 'remove') return before + after.slice(1 + more.length)
  if (kind === 'cut') return before
  if (kind === 'repeat') return before + after.slice(0, 50).repeat(1 + (more.length % 7)) + after
  return kind === 'upper' ? text.toUpperCase() : more
}

/** One of the texts, usually with a few changes. It shrinks to the text itself. */
export function mutated(texts: readonly string[], mostChanges = 4): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(change, { maxLength: mostChanges }))
    .map(([text, changes]) => changes.reduce(changed, text))
}
