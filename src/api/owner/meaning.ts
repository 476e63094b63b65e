import { ownerRoute } from '../route.ts'
import * as s from '../schema.ts'

const MEANING = '/v1/owner/meaning'

export const readMeaning = ownerRoute('GET', MEANING, {
  summary: 'How many records have a vector of their meaning',
  reply: s.object({
    object: s.constant('meaning'),
    model: s.TEXT,
    ...s.each(s.COUNT, 'records', 'done'),
    seconds_left: s.orNull(s.COUNT),
  }),
})

export const forgetMeaning = ownerRoute('DELETE', MEANING, { summary: 'Removes the vectors of all records' })
