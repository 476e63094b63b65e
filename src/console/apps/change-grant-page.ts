import { html } from 'hono/html'
import { readGrant, replaceGrant } from '../../api/owner/grants.ts'
import type { GrantedStream } from '../../model/access/grant.ts'
import { CodedError } from '../../model/errors.ts'
import { hidden, notice, select, ticks } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { humanName, joined } from '../../pages/words.ts'
import { goToTell } from '../done.ts'
import type { Visit } from '../visit.ts'
import { readVocabulary, type Vocabulary } from '../vocabulary.ts'
import type { GrantWithTerms } from './app-access.ts'
import { sourceNames } from './grant-words.ts'

const DAY_MS = 86_400_000
const ENDS = [
  { value: '30', label: '30 days from now' },
  { value: '90', label: '90 days from now' },
  { value: '365', label: 'One year from now' },
  { value: 'never', label: 'Until I remove it' },
]

/** Creates the grant that replaces this one. */
export async function changeGrant(visit: Visit, form: URLSearchParams): Promise<Response> {
  const { client_id = '', grant_id = '' } = visit.path
  const [{ grant }, { timed, labels }] = await Promise.all([find(visit), readVocabulary(visit)])
  const since = form.get('since')?.trim() || null
  const streams = (grant?.streams ?? [])
    .filter(({ name }) => form.getAll('stream').includes(name))
    .map(({ name, fields }) => {
      const kept = fields.filter(field => form.getAll(`field:${name}`).includes(field))
      return {
        name,
        ...(kept.length < fields.length ? { fields: kept } : {}),
        ...(since !== null && timed.has(name) ? { since } : {}),
      }
    })
  try {
    if (streams.length === 0)
      throw new CodedError('invalid_request', 'Nothing would be left. Remove the access instead.')
    const bare = streams.find(({ fields }) => fields?.length === 0)
    if (bare) {
      const label = labels.get(bare.name) ?? humanName(bare.name)
      throw new CodedError('invalid_request', `Keep at least one field of “${label}”, or take it out.`)
    }
    const json = { streams, ...endIn(form.get('ends') ?? '', visit.now) }
    await visit.call(replaceGrant, { grant_id }, { json })
  } catch (error) {
    if (!(error instanceof CodedError) || error.status >= 500) throw error
    return showGrant(visit, { error, form })
  }
  return goToTell(`/apps/${encodeURIComponent(client_id)}`, 'access-changed')
}

function endIn(ends: string, now: Date): { expires_at?: string | null } {
  if (ends === 'never') return { expires_at: null }
  const days = Number(ENDS.find(({ value }) => value === ends)?.value)
  return Number.isNaN(days) ? {} : { expires_at: new Date(now.getTime() + days * DAY_MS).toISOString() }
}

async function find(visit: Visit): Promise<GrantWithTerms> {
  const { client_id = '', grant_id = '' } = visit.path
  const found = await visit.call(readGrant, { grant_id })
  if (found.client_id === client_id && found.active) return found
  throw new CodedError('grant_not_found', 'That access was already removed.')
}

/** What the owner chose and why it was refused. */
interface Refused {
  error: CodedError
  form: URLSearchParams
}

/** The page on which the owner narrows an access or changes when it ends. */
export async function showGrant(visit: Visit, refused?: Refused): Promise<Response> {
  const [found, vocabulary] = await Promise.all([find(visit), readVocabulary(visit)])
  const { client_id, client_name, expires_at, grant } = found
  const source = joined(sourceNames(found, vocabulary))
  const path = `/apps/${encodeURIComponent(client_id)}`
  const now = expires_at === null ? 'without an end' : visit.times.day(expires_at)
  const title = `What may ${client_name} read of ${source}?`
  const body = html`<form class="stack measure" method="post" action="${path}/${found.grant_id}">
<header class="stack-tight"><p class="small"><a href="/apps">Apps</a> · <a href="${path}">${client_name}</a></p><h1>${title}</h1>
<p class="lede">Take out what it does not need.</p></header>
${refused ? notice('danger', refused.error.message) : ''}
${hidden({ csrf: visit.csrf })}
${(grant?.streams ?? []).map(stream => streamPart(stream, vocabulary, refused?.form))}
<div class="card filters">
${grant?.streams.some(({ name }) => vocabulary.timed.has(name)) ? html`<label>Nothing from before <input type="date" name="since" value="${refused?.form.get('since') ?? sinceNow(grant.streams, vocabulary, visit.times)}"></label>` : ''}
<label>Until when may it read? ${select('ends', [{ value: '', label: `As it is: ${now}` }, ...ENDS], refused?.form.get('ends') ?? '')}</label></div>
<div class="actions"><button class="primary" type="submit">Save</button><a class="button" href="${path}">Cancel</a></div>
<p class="soft small">It takes effect at the app’s next request. The app does not have to sign in again.</p></form>`
  return pageResponse(
    { title: title.slice(0, 80), body, section: 'apps' },
    { status: refused?.error.status ?? 200 },
  )
}

/** The day before which nothing is shown now; empty if a kind of record has no such day. */
function sinceNow(streams: readonly GrantedStream[], { timed }: Vocabulary, times: Times): string {
  const bounds = streams.filter(({ name }) => timed.has(name)).map(each => each.time_constraint?.since ?? '')
  // The earliest of several: saving it again narrows none of them.
  const [first = ''] = bounds.sort()
  return times.date(first) ?? ''
}

function streamPart(
  { name, fields }: GrantedStream,
  { labels }: Vocabulary,
  chosen: URLSearchParams | undefined,
): Html {
  const kept = new Set(chosen?.getAll(`field:${name}`) ?? fields)
  const isKept = !chosen || chosen.getAll('stream').includes(name)
  return html`<fieldset class="card framed"><legend><label class="tick"><input type="checkbox" name="stream" value="${name}" ${isKept ? 'checked' : ''}> ${labels.get(name) ?? humanName(name)}</label></legend>
<details ${kept.size < fields.length ? 'open' : ''}><summary>Its fields</summary>${ticks(
    `field:${name}`,
    fields.map(field => ({ value: field, label: humanName(field), checked: kept.has(field) })),
  )}</details></fieldset>`
}
