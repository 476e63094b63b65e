import { parseSearchQuery } from '../../model/search/search-query.ts'
import { isStopKey, keyOf } from '../../model/text/words.ts'

/** A query that names the conversation or folder that it asks about. */
export interface AskedPlace {
  name: string
  /** The query without the words that name it. */
  rest: string
}

const IN = 'in|on|from|im|aus|en|del|dans|du'
const ARTICLE =
  'the|my|our|der|dem|die|den|das|meinem|meiner|unserem|unserer|el|la|mi|nuestro|le|mon|ma|notre'
const PLACES =
  'channels?|groups?|group\\s+chat|chat(?:\\s?room)?|room|folder|mailbox|kanal|gruppe|gruppenchat|ordner|canal|grupo|carpeta|groupe|salon|dossier'
const PLACE = `(?:${PLACES})(?![\\p{L}\\p{N}_-])`
const WORD = `(?!(?:${IN}|${ARTICLE})\\s)[^\\s":()?!,;]+`
const START = '(?<![\\p{L}\\p{N}])'

/** As in "in the design channel", "in the group Family", and "in #general". */
const NAMED = [
  new RegExp(
    `(?:${START}(?:${IN})\\s+(?:(?:${ARTICLE})\\s+)?)?(?<![^\\s(])#(\\p{L}[\\p{L}\\p{M}\\p{N}_-]*)`,
    'iu',
  ),
  new RegExp(
    `${START}(?:${IN})\\s+(?:${ARTICLE})\\s+(?!${PLACE})(${WORD}(?:\\s+${WORD}){0,3}?)\\s+${PLACE}(?!\\s+${PLACE})`,
    'iu',
  ),
  new RegExp(
    `${START}(?:${IN})\\s+(?:(?:${ARTICLE})\\s+)?${PLACE}\\s+(?:called\\s+|named\\s+)?(?!${PLACE})` +
      `("[^"]+"|(?-i:\\p{Lu}[^\\s":()?!,;]*(?:\\s+\\p{Lu}[^\\s":()?!,;]*){1,3})|[^\\s":()?!,;]+)`,
    'iu',
  ),
]

/** The place that a query names, which may not exist; null if it names none. */
export function askedPlace(query: string): AskedPlace | null {
  for (const pattern of NAMED) {
    const [whole, named = ''] = pattern.exec(query) ?? []
    const name = named.replaceAll('"', '').replace(/\.+$/, '')
    if (whole === undefined || name === '' || isStopKey(keyOf(name))) continue
    return { name, rest: query.replace(whole, ' ').replace(/\s+/g, ' ').trim() }
  }
  return null
}

/** Words that, beside a place, ask for all that is there. */
const ALL = new Set(
  'message messages post posts chat conversation discussion everything anything happened happening going said written posted shared talked discussed sent most many new news nachrichten neues alles mensajes messages tout todo'
    .split(' ')
    .map(keyOf),
)
const LINKS =
  /^(?:(?:all|the|which|what|any)\s+)*(?:links?|urls?|web\s?pages?|enlaces|liens)(?:\s+(?:were|was|are|that)*\s*(?:shared|posted|sent|geteilt|compartidos|partagés))?$/iu

/** What a query looks for in the place that it names: its words, if it has any that not only ask. */
export function soughtIn({ rest }: AskedPlace): string {
  const asked = rest.replace(/[\s?.!,]+$/, '')
  if (LINKS.test(asked)) return 'http*'
  const { clues, operators } = parseSearchQuery(asked === '' ? '*' : asked)
  const onlyAsks = clues.every(
    clue => clue.kind === 'word' && (isStopKey(clue.key) || ALL.has(clue.key) || clue.further),
  )
  return onlyAsks && operators.length === 0 ? '' : asked
}
