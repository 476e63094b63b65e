import { byTime, source, stream } from '../test/mailbox.ts'
import { seeded } from './random.ts'

export const BATCH = 500

/** What the client may read: not every field, and not the whole time. The bounds lie within days on purpose. */
export const GRANTED_FIELDS = ['id', 'subject', 'from', 'body', 'text', 'received_at']
export const SINCE = '2021-03-01T09:30:00Z'
export const UNTIL = '2025-11-15T17:45:00Z'

const FROM = Date.UTC(2021, 0, 1)
const SPAN = Date.UTC(2026, 0, 1) - FROM

const DATED = { ...byTime('received_at'), schema: { required: ['id', 'received_at'] } }

/** The declaration of the measured data: mail, and documents with long texts. */
export const DECLARATION = {
  ...source('bench-mail', 'Mail'),
  streams: [
    stream(
      'messages',
      {
        subject: { type: ['string', 'null'], x_pdpp_role: 'primary-title' },
        from: { type: 'string', x_pdpp_role: 'actor' },
        body: { type: ['string', 'null'], contentMediaType: 'text/plain' },
        received_at: { type: 'string', format: 'date-time', x_pdpp_role: 'event-time' },
        size: { type: ['integer', 'null'] },
        secret: { type: ['string', 'null'] },
      },
      {
        ...DATED,
        display: { label: 'Your e-mail', detail: 'Sender, subject, date and text.' },
        query: {
          search: { lexical_fields: ['subject', 'from', 'body'] },
          range_filters: { received_at: ['gte', 'gt', 'lte', 'lt'] },
          aggregations: {
            count: true,
            group_by: ['from'],
            group_by_time: ['received_at'],
            count_distinct: ['from'],
          },
        },
      },
    ),
    stream(
      'documents',
      {
        text: { type: 'string', contentMediaType: 'text/plain' },
        received_at: { type: 'string', format: 'date-time', x_pdpp_role: 'event-time' },
      },
      DATED,
    ),
  ],
}

const SYLLABLES = 'an be co da el fi ga ho in ju ka lo mi na or pe qui ra se ti un va we xi yo ze'.split(' ')

export const VOCABULARY = 20_000

/** Words with a long tail: the first ones are frequent, the last ones rare. */
export function word(random: () => number): string {
  return wordAt(Math.floor(VOCABULARY ** random()))
}

/** The word at a place of the vocabulary, from the most frequent, 1, to the rarest. */
export function wordAt(place: number): string {
  let index = place
  let text = ''
  do {
    text += SYLLABLES[index % SYLLABLES.length]
    index = Math.floor(index / SYLLABLES.length)
  } while (index > 0)
  return text
}

export function words(random: () => number, chars: number): string {
  let text = word(random)
  while (text.length < chars) text += ` ${word(random)}`
  return text
}

export const mailId = (n: number): string => `m-${n}`

/** Batches take turns between the connections. */
export const connectionOf = (n: number, connections: readonly string[]): string =>
  connections[Math.floor(n / BATCH) % connections.length] ?? ''

function receivedAt(n: number): string {
  return new Date(FROM + Math.floor(seeded(n)() * SPAN)).toISOString()
}

export function isGranted(n: number): boolean {
  const at = Date.parse(receivedAt(n))
  return at >= Date.parse(SINCE) && at < Date.parse(UNTIL)
}

export function mail(n: number) {
  const random = seeded(n + 1_000_000_007)
  return {
    id: mailId(n),
    subject: words(random, 40),
    from: `person-${Math.floor(random() * 500)}@example.org`,
    body: words(random, 600),
    received_at: receivedAt(n),
    size: Math.floor(random() * 100_000),
    secret: word(random),
  }
}

/** A batch of lines from `first` on, as the body of one request. */
export function mailBatch(first: number): Buffer {
  return Buffer.from(
    Array.from({ length: BATCH }, (_, i) => `${JSON.stringify({ data: mail(first + i) })}\n`).join(''),
  )
}
