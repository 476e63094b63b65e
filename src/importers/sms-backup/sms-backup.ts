import type { Recognise } from '../importer.ts'
import { problemOf } from '../json-items.ts'
import { findingOf } from '../reading/exported-files.ts'
import { readFileItems } from '../reading/file-items.ts'
import { xmlElements } from '../reading/xml-elements.ts'
import { repeatCounter } from '../repeats.ts'
import { SMS_BACKUP } from './declaration.ts'
import { messageEvents, messageFacts } from './message.ts'
import { withWholeCharacters } from './whole-characters.ts'

const MESSAGE_BYTES = 500
const ELEMENTS = new Set(['sms', 'mms'])

export const recognise: Recognise = async files => {
  return findingOf(SMS_BACKUP, files, MESSAGE_BYTES, from =>
    readFileItems(files, from, async function* (file) {
      const repeats = repeatCounter()
      const mended = { ...file, open: () => withWholeCharacters(file.open()) }
      for await (const { element, problem, index, end } of xmlElements(mended, ELEMENTS)) {
        const place = `${file.path}, message ${index + 1}`
        if (element) {
          const facts = messageFacts(element)
          const repeat = repeats(facts.join('\n'))
          const position = repeats(`${facts[0]} ${facts[1]}`) + 1
          yield { events: () => messageEvents(element, facts, { repeat, position, place }), end }
        } else {
          const rejection = { kind: 'rejection' as const, place, ...problemOf(problem ?? 'cut_off') }
          yield { events: () => [rejection], end }
        }
      }
    }),
  )
}
