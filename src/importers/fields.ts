import type { JsonObject } from '../model/json.ts'
import { PAGE_UNITS } from '../model/reading/window.ts'

// Types for the fields of declarations.

/** A text that every record has. */
export const STRING = { type: 'string' }
/** A text or a time is null if the source does not have it. */
export const TEXT = { type: ['string', 'null'] }
export const TEXTS = { type: 'array', items: STRING }
export const TIME = { type: ['string', 'null'], format: 'date-time' }
/** A text that is one of these. */
export const oneOf = (...values: string[]) => ({ enum: values, type: 'string' })
export const FLAG = { type: 'boolean' }
export const COUNT = { type: 'integer' }
/** Where the pages of a text begin, in characters. */
export const PAGES = {
  type: ['object', 'null'],
  properties: {
    unit: { enum: [...PAGE_UNITS] },
    starts: { type: 'array', items: COUNT },
    names: { type: 'array', items: TEXT },
    recognised: { type: 'array', items: COUNT },
  },
}

// Fields that messages, notes and other texts have in common.
export const TITLE = { ...TEXT, x_pdpp_role: 'primary-title' }
export const PLAIN_TEXT = { ...TEXT, contentMediaType: 'text/plain', x_pdpp_role: 'primary-text' }
export const MARKDOWN = { ...TEXT, contentMediaType: 'text/markdown' }
export const MARKDOWN_TEXT = { ...MARKDOWN, x_pdpp_role: 'primary-text' }
/** The title of what a message belongs to. */
export const CONVERSATION = { ...TEXT, x_pdpp_role: ['primary-title', 'place'] }
export const EVENT_TIME = { ...TIME, x_pdpp_role: 'event-time' }
export const ACTOR = { ...TEXT, x_pdpp_role: 'actor' }
export const PLACE = { ...TEXT, x_pdpp_role: 'place' }
export const LABELS = { ...TEXTS, x_pdpp_role: 'label' }
export const PEOPLE = { ...TEXTS, x_pdpp_role: 'participant' }
export const RECIPIENTS = { ...TEXTS, x_pdpp_role: 'recipient' }
export const REACTIONS = {
  type: 'array',
  items: { type: 'object', properties: { name: STRING, count: COUNT, users: TEXTS } },
}
/** The files of a record, with the details that the source has about each. */
export const files = (properties: JsonObject) => ({
  type: 'array',
  x_pdpp_role: 'attachment',
  items: { type: 'object', properties },
})
/** Null if it is unknown. */
export const SIZE = { type: ['integer', 'null'] }
export const ATTACHMENTS = files({
  name: TEXT,
  mime_type: TEXT,
  size_bytes: SIZE,
  url: TEXT,
  text: TEXT,
  blob_id: STRING,
})
