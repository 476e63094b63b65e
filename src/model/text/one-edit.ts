/** The letters of a script, after folding. In other scripts only extra and swapped letters are corrected. */
const ALPHABETS: readonly (readonly [RegExp, string])[] = [
  [/^[a-z]+$/, 'abcdefghijklmnopqrstuvwxyz'],
  [/^[а-яіїєґ]+$/, 'абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґ'],
  [/^[α-ω]+$/, 'αβγδεζηθικλμνξοπρστυφχψω'],
  [/^[א-ת]+$/, 'אבגדהוזחטיכךלמםנןסעפףצץקרשת'],
  [/^[ء-ي]+$/, 'ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي'],
]

/** Every word one edit away: with two neighbouring letters swapped, one letter removed, replaced or added. */
export function oneEditAway(word: string): string[] {
  const letters = Array.from(word)
  const [, alphabet = ''] = ALPHABETS.find(([script]) => script.test(word)) ?? []
  const starts = [...letters, ''].map((_, i) => letters.slice(0, i).join(''))
  const ends = [...letters, ''].map((_, i) => letters.slice(i).join(''))
  const at = (i: number, taken: number, put: string) => starts[i] + put + ends[i + taken]
  const swapped = letters.slice(1).map((letter, i) => at(i, 2, letter + letters[i]))
  const shorter = letters.map((_, i) => at(i, 1, ''))
  const changed = letters.flatMap((_, i) => Array.from(alphabet, letter => at(i, 1, letter)))
  const longer = [...letters, ''].flatMap((_, i) => Array.from(alphabet, letter => at(i, 0, letter)))
  const all = new Set([...swapped, ...shorter, ...changed, ...longer])
  all.delete(word)
  return [...all]
}
