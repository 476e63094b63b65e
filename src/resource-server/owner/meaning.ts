import * as api from '../../api/owner/meaning.ts'
import { MEANING_MODEL } from '../../model/search/meaning.ts'
import { meaningCoverage } from '../../store/search/meaning/texts.ts'
import { serve } from '../request/context.ts'
import { empty, json } from '../request/responses.ts'

export const readMeaning = serve(api.readMeaning, async ({ store, owner_id, catalog }) => {
  const coverage = await meaningCoverage(store.database, owner_id, catalog)
  return json({ object: 'meaning', model: MEANING_MODEL, ...coverage })
})

export const forgetMeaning = serve(api.forgetMeaning, async context => {
  await context.write('forgetMeaning', {})
  return empty(204)
})
