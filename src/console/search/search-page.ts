import { html } from 'hono/html'
import type { Warning } from '../../api/parameter.ts'
import { search } from '../../api/search.ts'
import { counted } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject } from '../../model/json.ts'
import { notice, type Option } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { type AppAccess, readApps } from '../apps/app-access.ts'
import { doneNotice } from '../done.ts'
import type { Visit } from '../visit.ts'
import { readVocabulary, type Vocabulary } from '../vocabulary.ts'
import { asApp, COMPARED, MOST_FOUND, whatDisappears } from './app-view.ts'
import { hitCard } from './hit-card.ts'
import { savedSearches, saveForm } from './saved-searches.ts'
import { type Asked, isNarrowed, queryOf, readAsked, searchForm, searchPath } from './search-form.ts'

/** The hits of `/v1/search` in order, with what an assistant would see of each. */
export async function showSearch(visit: Visit): Promise<Response> {
  const asked = readAsked(visit.query)
  const own = asked.q === '' || asked.as !== '' ? null : ask(visit, asked, SHOWN)
  own?.catch(() => {})
  const [vocabulary, apps] = await Promise.all([readVocabulary(visit), readApps(visit)])
  const app = apps.find(({ client_id }) => client_id === asked.as)
  if (asked.as !== '' && !app) throw new CodedError('not_found', 'That app cannot read anything now.')
  const { answer, missing } =
    app && asked.q !== ''
      ? await askAs(visit, app, asked, vocabulary)
      : { answer: await own, missing: '' as const }
  const found =
    vocabulary.sources.size === 0
      ? html`<p class="card soft">There is nothing to search yet. <a href="/import">Import files or a folder</a></p>`
      : answer === null
        ? html`${doneNotice(visit)}${await savedSearches(visit)}${help()}`
        : namesGone(asked, vocabulary)
          ? gone(asked)
          : answer instanceof CodedError
            ? notice('danger', answer.message)
            : html`${app ? notice('info', `This is what ${app.name} finds. It is not told that you looked.`) : ''}
${results(visit, asked, answer, vocabulary)}${missing}`
  const choices = {
    sources: options(vocabulary.sources),
    kinds: options(vocabulary.labels),
    apps: options(new Map(apps.map(({ client_id, name }) => [client_id, name]))),
  }
  const body = html`<div class="stack-wide">
${searchForm(asked, choices)}
${found}
</div>`
  const title = asked.q === '' ? 'Search' : `${asked.q.slice(0, 60)} · Search`
  const status = answer instanceof CodedError ? answer.status : 200
  return pageResponse({ title, body, section: 'search' }, { status })
}

/** Whether the search names a source or a kind that was removed since, as a saved one may. */
function namesGone({ source, kind }: Asked, { sources, labels }: Vocabulary): boolean {
  return (source !== '' && !sources.has(source)) || (kind !== '' && !labels.has(kind))
}

function gone(asked: Asked): Html {
  const wider = searchPath({ ...asked, source: '', kind: '', next: '' })
  return html`<div class="stack"><p class="lede">The source that this search names was removed.</p>
<p><a href="${wider}">Search every source</a></p></div>`
}

/** How many hits are on a page. */
const SHOWN = 10

async function ask(visit: Visit, asked: Asked, limit: number, more: { cursors?: 'true' } = {}) {
  const cursor = asked.next === '' ? {} : { cursor: asked.next }
  try {
    const query = queryOf(asked, { zone: visit.times.zone, now: visit.now })
    return await visit.call(search, {}, { query: { ...query, varied: 'true', limit, ...cursor, ...more } })
  } catch (error) {
    if (error instanceof CodedError && error.status < 500) return error
    throw error
  }
}

/**
 * What an app finds. The first page also lists which of the owner's own hits are missing; one search as the app serves
 * both, at the same time as the owner's.
 */
async function askAs(
  visit: Visit,
  app: AppAccess,
  asked: Asked,
  vocabulary: Vocabulary,
): Promise<{ answer: Found | CodedError; missing: Html | '' }> {
  const seen = asApp(visit, app)
  if (asked.next !== '') return { answer: await ask(seen, asked, SHOWN), missing: '' }
  const [theirs, own] = await Promise.all([
    ask(seen, asked, MOST_FOUND, { cursors: 'true' }),
    ask(visit, asked, COMPARED),
  ])
  if (theirs instanceof CodedError) return { answer: theirs, missing: '' }
  if (own instanceof CodedError) throw own
  const compared = { own: own.data, theirs: theirs.data }
  const [answer, missing] = await Promise.all([
    firstPage(theirs) ?? ask(seen, asked, SHOWN),
    whatDisappears(visit, app, compared, asked, vocabulary),
  ])
  return { answer, missing }
}

/** The first page of a longer one; null if the cursor after it is unknown. */
function firstPage(found: Found): Found | null {
  if (found.data.length <= SHOWN) return found
  const next_cursor = found.meta.cursors?.[SHOWN - 1]
  return next_cursor ? { ...found, data: found.data.slice(0, SHOWN), next_cursor } : null
}

function options(names: ReadonlyMap<string, string>): Option[] {
  return [...names].map(([value, label]) => ({ value, label }))
}

type Found = Exclude<Awaited<ReturnType<typeof ask>>, CodedError>

function results(
  visit: Visit,
  asked: Asked,
  { data, next_cursor, meta }: Found,
  vocabulary: Vocabulary,
): Html {
  const warnings = meta.warnings.map(warning => html`<p class="soft small">${warningWords(warning)}</p>`)
  const cut = meta.recall?.truncated
    ? html`<p class="soft small">Some of these words are so common that only the newest records were compared. Use a rarer word or a narrower search to see others.</p>`
    : ''
  if (meta.warnings.some(({ code }) => code === 'no_words'))
    return html`<p class="lede">There is no word to search for. Add one without - before it.</p>`
  const next =
    next_cursor &&
    html`<p><a class="button" href="${searchPath({ ...asked, next: next_cursor })}">More results</a></p>`
  if (data.length === 0 && next)
    return html`<div class="stack"><p class="lede">Nothing was found so far. There is more to search.</p>${warnings}${next}</div>`
  if (data.length === 0)
    return html`<div class="stack"><p class="lede">Nothing was found.</p>${warnings}
<p>${hasNoDay(asked) ? 'No day is left: the day in “From” must come before the day in “Before”.' : hasSeveral(asked) ? 'Use fewer words, or only the first letters of a word with * after them.' : shorter(asked)}</p>
${isNarrowed(asked) ? html`<p><a href="${searchPath({ q: asked.q, as: asked.as })}">Search everything for these words</a></p>` : ''}${saveForm(visit, asked)}</div>`
  return html`<section class="stack" aria-label="Results">${warnings}${cut}<div class="head">${countLine(meta, asked, data.length)}${saveForm(visit, asked)}</div>
<ol class="rows card">${data.map(hit => hitCard(hit, vocabulary, visit.times))}</ol>
${next ?? html`<p class="soft small">No more results.</p>`}</section>`
}

/** How many records contain all the words, and whether others are listed too. */
function countLine({ count, count_accuracy }: Found['meta'], asked: Asked, listed: number): Html | '' {
  if (typeof count !== 'number' || count_accuracy === 'not_counted') return ''
  if (count === 0)
    return html`<p class="soft">No record contains all these words. These contain some of them.</p>`
  const all = `${counted(count, 'record')} ${count === 1 ? 'contains' : 'contain'} ${hasSeveral(asked) ? 'all these words' : 'this word'}.`
  const hasOthers = count_accuracy === 'exact' && (count < listed || (asked.next !== '' && count < SHOWN))
  return html`<p class="soft">${count_accuracy === 'lower_bound' ? `At least ${all}` : all}${hasOthers ? ' The others contain some of them.' : ''}</p>`
}

const FIRST_LETTERS = 4

/** A search for the first letters of the only word. */
function shorter(asked: Asked): Html {
  const letters = Array.from(/^[\p{L}\p{M}\p{N}]+$/u.exec(asked.q)?.[0] ?? '')
  if (letters.length <= FIRST_LETTERS) return html`Try another word, or fewer letters with * after them.`
  const q = `${letters.slice(0, FIRST_LETTERS).join('')}*`
  return html`Try its first letters: <a href="${searchPath({ ...asked, q, next: '' })}">${q}</a>`
}

function hasNoDay({ since, until }: Asked): boolean {
  return since !== '' && until !== '' && since >= until
}

function hasSeveral({ q }: Asked): boolean {
  return /\s/.test(q)
}

function help(): Html {
  return html`<dl class="facts wide soft">
<div><dt>Words</dt><dd><code>engine overhaul</code> finds records with these words. Those that have both, close together, rank higher.</dd></div>
<div><dt>A phrase</dt><dd><code>"engine overhaul"</code> finds these words one after the other.</dd></div>
<div><dt>First letters</dt><dd><code>over*</code> finds overhaul and overnight.</dd></div>
<div><dt>Without a word</dt><dd><code>engine -diesel</code> leaves out what mentions diesel.</dd></div>
<div><dt>A person</dt><dd><code>engine from:ada</code> finds what Ada wrote. <code>to:</code> and <code>with:</code> find what she received and everything with her.</dd></div>
<div><dt>A place</dt><dd><code>engine in:harbour</code> finds what is in that channel, folder or conversation.</dd></div>
<div><dt>Files</dt><dd><code>engine has:attachment</code> finds what has a file, <code>type:pdf</code> what has a PDF.</dd></div></dl>`
}

/** What kinds of records lack that are left out, by the parameter that leaves them out. */
const LACKING: Readonly<Record<string, string>> = {
  since: 'no date',
  until: 'no date',
  order: 'no date',
  person: 'no people',
  from: 'no sender',
  to: 'no recipient',
  with: 'no people',
  in: 'no place',
  has: 'no files',
  type: 'no files',
}

/** A warning of the server as its owner reads it: of kinds of records instead of streams, all of which are readable. */
export function warningWords({ code, message, param, detail }: Warning): Html | string {
  const { streams: given, own_names, instead } = isObject(detail) ? detail : {}
  if (code === 'time_not_found' && typeof instead === 'string') {
    const path = `/search?${new URLSearchParams({ q: instead })}`
    return html`None of these is from ${instead.slice('on:'.length).replaceAll('"', '')}. <a href="${path}">Show what is</a>`
  }
  const lacking = code === 'streams_left_out' ? LACKING[param ?? ''] : undefined
  const streams = typeof given === 'number' ? given : 0
  if (own_names === false)
    return html`${counted(streams, 'kind')} of records ${streams === 1 ? 'does' : 'do'} not say what you wrote. <a href="/settings/server#my-names">Enter your names</a> to find it there too.`
  if (lacking === undefined || streams === 0) return message.replaceAll('readable ', '')
  return `${counted(streams, 'kind')} of records ${streams === 1 ? 'has' : 'have'} ${lacking} and ${streams === 1 ? 'is' : 'are'} left out.`
}
