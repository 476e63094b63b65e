import { byTime, source, stream } from './mailbox.ts'

const TEXT = { type: ['string', 'null'] }

/** A declaration of chat messages with threads, channels and messages that are not shown. */
export const CHAT = {
  ...source('chat'),
  streams: [
    stream(
      'chat',
      {
        text: { ...TEXT, x_pdpp_role: 'primary-text' },
        who: { ...TEXT, x_pdpp_role: 'actor' },
        thread: TEXT,
        channel: { ...TEXT, x_pdpp_role: 'place' },
        shown: { type: 'boolean' },
        at: { type: 'string', format: 'date-time', x_pdpp_role: 'event-time' },
      },
      {
        ...byTime('at'),
        query: { search: { lexical_fields: ['text'] } },
        schema: {
          x_pdpp_conversation: {
            key: 'thread',
            order: ['at'],
            around: { place: 'channel', minutes: 60 },
            shown_if: { shown: true },
          },
        },
      },
    ),
  ],
}

/** The time this many minutes after the start of 2026. */
export const at = (minute: number) => new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString()
export const line = (id: string, minute: number, more = {}) => ({
  data: {
    id,
    text: `text ${id}`,
    who: 'Ada',
    thread: 't',
    channel: 'c',
    shown: true,
    at: at(minute),
    ...more,
  },
})

/** The same, with a stream whose records represent whole threads. */
export const TALKS = {
  ...CHAT,
  ...source('talks'),
  streams: [
    ...CHAT.streams,
    stream(
      'talks',
      {
        title: { ...TEXT, x_pdpp_role: ['primary-title', 'place'] },
        at: { type: 'string', format: 'date-time', x_pdpp_role: 'event-time' },
      },
      {
        ...byTime('at'),
        relationships: [{ name: 'messages', stream: 'chat', foreign_key: 'thread', cardinality: 'has_many' }],
        query: { search: { lexical_fields: ['title'] } },
      },
    ),
  ],
}
