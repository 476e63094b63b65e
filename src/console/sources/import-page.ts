import { html } from 'hono/html'
import { counted } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { cutText } from '../../model/reading/record.ts'
import { obscuredAnswer } from '../../pages/demo.ts'
import { hidden, notice } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { humanName } from '../../pages/words.ts'
import { doneNotice, goToTell } from '../done.ts'
import type { FileImports, ImportPreview, Session } from '../environment.ts'
import { formParts } from '../multipart.ts'
import { allFields } from '../record-values.ts'
import { goTo, type Visit } from '../visit.ts'

const FORMATS: readonly (readonly [kind: string, formats: string])[] = [
  ['Mail', 'mbox files, single messages (.eml), Maildir folders, Google Takeout'],
  [
    'Chats',
    'WhatsApp, Telegram, Slack, Discord, Signal, KakaoTalk, LINE, Google Chat, Skype, iMessage, SMS and MMS',
  ],
  ['AI conversations', 'ChatGPT, Claude, DeepSeek, Claude Code, Codex, Gemini (Google My Activity)'],
  ['Notes', 'Markdown, Obsidian, Notion, Google Keep, Apple Notes, Evernote, Roam Research, Logseq'],
  ['Calendars and contacts', 'iCalendar (.ics), vCard (.vcf)'],
  ['Social networks', 'Facebook, Instagram, X (Twitter), Mastodon'],
  ['Documents', 'PDF, office files, e-books, web pages, plain text'],
  ['Tables', 'CSV, JSON, JSON lines'],
  ['Other', 'Apple Health, Spotify, bookmarks and browser history'],
]

/** The formats that can be imported, folded unless the owner needs them now. */
function formatList(isOpen: boolean): Html {
  return html`<details class="card" ${isOpen ? 'open' : ''}><summary>What you can import</summary><dl class="facts wide">${FORMATS.map(
    ([kind, formats]) => html`<div><dt>${kind}</dt><dd>${formats}</dd></div>`,
  )}</dl><p class="soft small">As files, folders, zip or tar archives, as the app or service exported them.</p></details>`
}

/** The page on which the owner uploads a file or a folder. */
export function showImport(visit: Visit, problem?: CodedError): Promise<Response> {
  const { env, csrf } = visit
  const body = html`<div class="stack-wide">
<header class="stack-tight"><p class="small"><a href="/sources">Sources</a></p><h1>Import a file or a folder</h1>
<p class="lede">Choose one of your exports: mail, chats, notes, a zip of everything. You see what is in it before anything is stored.</p></header>
${problem ? notice('danger', problem.message) : doneNotice(visit)}
${
  env.imports
    ? html`<form class="stack" method="post" action="/import" enctype="multipart/form-data">${hidden({ csrf })}
<div class="pair"><label class="stack-tight drop"><strong>Choose files, or drop them here</strong><input type="file" name="file" multiple></label>
<label class="stack-tight drop"><strong>Or a whole folder</strong><input type="file" name="folder" webkitdirectory multiple></label></div>
<div class="actions"><button class="primary" type="submit">See what is in it</button></div></form>`
    : ''
}
${formatList(problem?.code === 'format_not_recognised')}
<section class="stack-tight"><h2>Something very large</h2><p>Run this where Footnote runs:</p><pre class="copy" tabindex="0">${env.spelled('footnote import PATH')}</pre></section></div>`
  return pageResponse({ title: 'Import', body, section: 'sources' }, { status: problem?.status ?? 200 })
}

/** Stores the files of the form, and redirects to the preview of what they contain. */
export async function receiveFile(visit: Visit, request: Request, session: Session): Promise<Response> {
  const upload_id = await importsOf(visit).receive(filesOf(visit, request, session))
  if (upload_id !== null) return goTo(`/import/${upload_id}`)
  return showImport(visit, new CodedError('invalid_request', 'Choose a file or a folder first.'))
}

/** The token comes before the files in the form, so nothing is stored from a form of another session. */
async function* filesOf({ env }: Visit, request: Request, session: Session) {
  let csrf = ''
  for await (const part of formParts(request)) {
    if (part.kind === 'field') {
      if (part.name === 'csrf') csrf = part.value
      continue
    }
    env.assertOwnForm(request, session, csrf)
    // An empty file input is sent without a name.
    if (part.filename !== '') yield { path: part.filename, bytes: part.bytes }
  }
  env.assertOwnForm(request, session, csrf)
}

function importsOf({ env }: Visit): FileImports {
  if (env.imports) return env.imports
  throw new CodedError('not_found', 'This server does not accept files from the browser.')
}

/** What the file is and what importing it would do. */
export async function showPreview(visit: Visit): Promise<Response> {
  const { upload_id = '' } = visit.path
  const imports = importsOf(visit)
  const preview = await imports.preview(upload_id).catch(async (error: unknown) => {
    if (!(error instanceof CodedError) || error.status !== 422) throw error
    await imports.drop(upload_id)
    return error
  })
  if (preview instanceof CodedError) return showImport(visit, preview)
  const { formats, skipped, counts, complete, rejections, sample } = shownPreview(visit, preview)
  const filename = visit.shown(preview.filename)
  // A scrambled name must not be saved as the name of the source.
  const name = visit.isDemo ? '' : preview.name
  const about = complete ? '' : 'at least '
  const body = html`<div class="stack-wide">
<header class="stack-tight"><p class="small"><a href="/sources">Sources</a> · <a href="/import">Import</a></p><h1 class="path">${filename}</h1>
<p class="lede">${formats.map(({ label, items, exact }) => `${label}, ${exact ? '' : 'about '}${counted(items, 'item')}`).join('. ')}.</p></header>
<section class="card stack measure"><p>${about}${counted(counts.added, 'record')} can be imported. ${counts.rejected === 0 ? 'Nothing is rejected.' : html`<span class="warning">${about}${counted(counts.rejected, 'item')} cannot be read.</span>`} Nothing is stored yet.</p>
${skipped.length === 0 ? '' : html`<details ${skipped.length > LEFT_OPEN ? '' : 'open'}><summary>What is left out</summary><ul>${skipped.map(line => html`<li>${line}</li>`)}</ul></details>`}
<form class="stack" method="post" action="/import/${upload_id}">${hidden({ csrf: visit.csrf })}
${formats.length > 1 ? '' : html`<div class="stack-tight"><label class="line" for="name">What to call it</label><input type="text" id="name" name="name" value="${name}" maxlength="200">${preview.name === '' ? html`<p class="hint">With a name they become one source, without one each is its own.</p>` : ''}</div>`}
<div class="actions"><button class="primary" type="submit" name="action" value="import">Import</button><button type="submit" name="action" value="drop">Do not import</button></div>
<p class="soft small">If it is a newer export of something that is already here, only what is new is added. Apps do not see a new source until you let them.</p></form></section>
${samples(sample, visit.times)}
${rejectionList(rejections)}</div>`
  return pageResponse({ title: filename.slice(0, 80), body, section: 'sources' })
}

/** The most lines of what is left out that are shown without a click. */
const LEFT_OPEN = 3

function shownPreview({ isDemo }: Visit, preview: ImportPreview): ImportPreview {
  return isDemo ? (obscuredAnswer(preview as unknown as Json) as unknown as ImportPreview) : preview
}

function samples(sample: ImportPreview['sample'], times: Times): Html | '' {
  if (sample.length === 0) return ''
  return html`<section class="stack measure"><h2>For example</h2>${sample.map(
    ({ stream, label, data }) =>
      html`<section class="card stack"><h3>${label ?? humanName(stream)}</h3>${allFields({ data: shortened(data) }, times)}</section>`,
  )}</section>`
}

const VALUE_CHARS = 240

function shortened(data: JsonObject): JsonObject {
  const short = ([field, value]: [string, Json]) =>
    [field, typeof value === 'string' ? cutText(value, VALUE_CHARS) : value] as const
  return Object.fromEntries(Object.entries(data).map(short))
}

const MOST_PLACES = 5

/** Where something is wrong; more places are collapsed. */
function placeList(places: readonly string[]): Html {
  const list = html`<ul class="plain soft small">${places.map(place => html`<li class="path">${place}</li>`)}</ul>`
  return places.length <= MOST_PLACES
    ? list
    : html`<details><summary>${counted(places.length, 'place')}</summary>${list}</details>`
}

/** What was rejected, and why: the places with the same reason together. */
export function rejectionList(rejections: ImportPreview['rejections']): Html | '' {
  if (rejections.length === 0) return ''
  const byReason = [...Map.groupBy(rejections, ({ code, message }) => `${code} ${message}`).values()]
  return html`<section class="stack"><h2>What cannot be read</h2><ol class="rows card">${byReason.map(
    own =>
      html`<li class="stack-tight"><p>${own[0]?.message} <code class="soft small">${own[0]?.code}</code></p>${placeList(own.map(({ place }) => place))}</li>`,
  )}</ol></section>`
}

/** Starts the import, or deletes the file. */
export async function decideImport(visit: Visit, form: URLSearchParams): Promise<Response> {
  const { upload_id = '' } = visit.path
  const imports = importsOf(visit)
  if (form.get('action') === 'drop') {
    await imports.drop(upload_id)
    return goToTell('/import', 'upload-dropped')
  }
  const name = form.get('name')?.trim().slice(0, 200) || null
  const { import_id, connection_id, parts } = await imports.start(upload_id, name)
  const more = parts > 1 ? `?${new URLSearchParams({ parts: String(parts) })}` : ''
  return goTo(`/sources/${connection_id}/imports/${import_id}${more}`)
}
