import { list } from '../list.ts'
import * as p from '../parameter.ts'
import { ownerRoute } from '../route.ts'
import * as s from '../schema.ts'

const MOST_PARTS = 31
/** The content of this many requests is read; reading more would take too long. */
const USUALLY_EXAMINED = 500
export const MOST_EXAMINED = 2_000
/** A part of the time counts at most this many requests, because counting more would take too long. */
export const MOST_IN_PART = 10_000

export const readActivity = ownerRoute('GET', '/v1/owner/activity', {
  summary: 'Figures of what each client asked for and was shown in a period',
  parameters: {
    since: p.required(p.time()),
    until: p.required(p.time()),
    client_id: p.text(),
    examine: p.withDefault(p.integer({ min: 1, max: MOST_EXAMINED }), USUALLY_EXAMINED),
    parts: p.withDefault(p.integer({ min: 1, max: MOST_PARTS }), 1),
  },
  reply: list(
    s.object({
      object: s.constant('activity'),
      client_id: s.TEXT,
      ...s.each(
        s.COUNT,
        'requests',
        'examined',
        'refused',
        'empty_searches',
        'records',
        'passages',
        'characters',
      ),
      by_part: s.listOf(s.COUNT),
      shown: s.listOf(s.object({ ...s.each(s.TEXT, 'connection_id', 'stream'), records: s.COUNT })),
    }),
  ),
})
