import type { JsonObject } from '../../model/json.ts'
import { integerIn, objectIn, objectsIn, textIn } from '../reading/json-values.ts'

/** What Telegram shows in a message besides its text: a poll, a list, a place, a person, the emoji of a sticker. */
export function shownBeside(message: JsonObject): string[] {
  const poll = objectIn(message.poll)
  const list = objectIn(message.todo_list)
  const contact = objectIn(message.contact_information)
  const { latitude, longitude } = objectIn(message.location_information)
  const lines = [
    textIn(poll.question),
    ...objectsIn(poll.answers).map(({ text, voters }) => `• ${textIn(text)}: ${integerIn(voters) ?? 0}`),
    textIn(list.title),
    ...objectsIn(list.answers).map(({ text }) => `• ${textIn(text)}`),
    textIn(message.place_name),
    textIn(message.address),
    typeof latitude === 'number' && typeof longitude === 'number' ? `${latitude}, ${longitude}` : null,
    [contact.first_name, contact.last_name, contact.phone_number]
      .flatMap(part => textIn(part) ?? [])
      .join(' '),
    textIn(message.sticker_emoji),
  ]
  return lines.filter(line => line !== null && line !== '') as string[]
}
