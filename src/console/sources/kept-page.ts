import { html } from 'hono/html'
import { listSyncs, removeSync, requestSyncRun, type Sync } from '../../api/owner/syncs.ts'
import { listWatched, lookAgain, unwatch, type WatchedFolder } from '../../api/owner/watched-folders.ts'
import { counted, number } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { hidden } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { doneNotice, goToTell } from '../done.ts'
import type { Visit } from '../visit.ts'

export const KEPT_PATH = '/sources/kept'

/** The mail accounts and folders that the server reads by itself: their state, and what can be done about it. */
export async function showKept(visit: Visit): Promise<Response> {
  const [{ data: syncs }, { data: folders }] = await Promise.all([
    visit.plain.call(listSyncs, {}),
    visit.plain.call(listWatched, {}),
  ])
  const body = html`<div class="stack-wide">
<header class="stack-tight"><p class="small"><a href="/sources">Sources</a></p><h1>Kept up to date</h1><p class="lede">Mail accounts and folders that Footnote checks automatically. It only reads them.</p></header>
${doneNotice(visit)}
<section class="stack"><h2>Mail accounts</h2>
${syncs.length === 0 ? html`<p class="card soft">No account is kept in sync.</p>` : syncs.map(sync => syncCard(visit, sync))}
<p class="soft">To add an account, run this where Footnote runs. It asks for the password and stores it encrypted:</p>
<pre class="copy" tabindex="0">${visit.env.spelled('footnote sync add imap://USER@HOST')}</pre></section>
<section class="stack"><h2>Folders</h2>
${folders.length === 0 ? html`<p class="card soft">No folder is watched.</p>` : folders.map(folder => folderCard(visit, folder))}
<p class="soft">To add a folder, run this where Footnote runs:</p>
<pre class="copy" tabindex="0">${visit.env.spelled('footnote watch add FOLDER')}</pre></section></div>`
  return pageResponse({ title: 'Kept up to date', body, section: 'sources' })
}

function syncCard(visit: Visit, sync: Sync): Html {
  const { sync_id, connection_id, name, address, messages, last_run, last_error, failures } = sync
  const { times, shown } = visit
  const times_failed = failures > 1 ? ` ${failures} times in a row` : ''
  return card(visit, {
    named: ['sync', sync_id],
    title: html`<a href="/sources/${connection_id}">${shown(name)}</a>`,
    about: `${shown(address)} · ${counted(messages, 'message')}`,
    facts: [
      last_run
        ? `Last run ${times.at(last_run.ended_at)}: ${number(last_run.added)} added, ${number(last_run.updated)} updated, ${number(last_run.deleted)} deleted, ${number(last_run.rejected)} rejected.`
        : 'It has not run yet.',
      nextRun(visit, sync),
    ],
    problem:
      last_error && `It failed${times_failed}, last ${times.at(last_error.at)}: ${shown(last_error.message)}`,
    canRun: !sync.running,
    removal: 'Its password is deleted. Its records stay.',
  })
}

function nextRun({ times, now }: Visit, { running, next_run_at, every_minutes }: Sync): string {
  if (running) return 'It is running now.'
  if (next_run_at === null) return 'It runs only when you start it.'
  const often = every_minutes === 0 ? '' : ` It runs every ${counted(every_minutes, 'minute')}.`
  return Date.parse(next_run_at) <= now.getTime()
    ? `It is due and starts within half a minute.${often}`
    : `Next run ${times.at(next_run_at)}.${often}`
}

function folderCard(visit: Visit, folder: WatchedFolder): Html {
  const { folder_id, path, name, format, looked_at, last_error, last_import } = folder
  const { times, shown } = visit
  const about = [
    name === null ? '' : `Imported to ${shown(name)}`,
    format === null ? 'Every format that Footnote detects' : `Format: ${format}`,
  ]
  return card(visit, {
    named: ['folder', folder_id],
    title: last_import
      ? html`<a href="/sources/${last_import.connection_id}">${shown(path)}</a>`
      : html`${shown(path)}`,
    about: about.filter(each => each !== '').join(' · '),
    facts: [
      last_import
        ? `Last import ${times.at(last_import.changed_at)}: ${number(last_import.added)} added, ${number(last_import.updated)} updated, ${number(last_import.rejected)} rejected.`
        : 'Nothing has been imported from it yet.',
      looked_at === null
        ? 'It is checked while a server runs.'
        : `Last checked ${times.at(looked_at)}. Changes are imported after a few seconds.`,
    ],
    problem: last_error && `The last check failed: ${shown(last_error.message)}`,
    canRun: true,
    removal: 'It is no longer watched. Its records stay.',
  })
}

interface Card {
  named: readonly [kind: 'sync' | 'folder', id: string]
  title: Html
  about: string
  facts: readonly string[]
  problem: string | null
  canRun: boolean
  removal: string
}

function card({ csrf, query }: Visit, { named, title, about, facts, problem, canRun, removal }: Card): Html {
  const [kind, id] = named
  const isLeaving = query.get(kind) === id
  const fields = (action: string) => hidden({ csrf, [kind]: id, action })
  const run = html`<form method="post" action="${KEPT_PATH}">${fields('run')}<button type="submit">Run now</button></form>`
  const leave = html`<form method="get" action="${KEPT_PATH}">${hidden({ [kind]: id })}<button type="submit">Remove</button></form>`
  return html`<article class="card stack-tight"><h3 class="path" dir="auto">${title}</h3>
<p class="small" dir="auto">${about}</p>
${facts.map(fact => html`<p class="soft small">${fact}</p>`)}
${problem ? html`<p class="warning small" dir="auto">${problem}</p>` : ''}
${
  isLeaving
    ? html`<form class="stack-tight" method="post" action="${KEPT_PATH}">${fields('remove')}<p><strong>Remove it?</strong> ${removal}</p><div class="actions"><button class="danger" type="submit">Yes, remove it</button> <a class="button" href="${KEPT_PATH}">Keep it</a></div></form>`
    : html`<div class="actions">${canRun ? run : ''}${leave}</div>`
}</article>`
}

/** Runs or removes what the form names. */
export async function changeKept(visit: Visit, form: URLSearchParams): Promise<Response> {
  const [action, sync_id, folder_id] = [form.get('action'), form.get('sync'), form.get('folder')]
  const isRun = action === 'run'
  if (!isRun && action !== 'remove')
    throw new CodedError('invalid_request', 'Choose what to do with which account or folder.')
  if (sync_id !== null) await visit.call(isRun ? requestSyncRun : removeSync, { sync_id })
  else if (folder_id !== null) await visit.call(isRun ? lookAgain : unwatch, { folder_id })
  else throw new CodedError('invalid_request', 'Choose what to do with which account or folder.')
  return goToTell(KEPT_PATH, isRun ? 'started-now' : sync_id === null ? 'folder-left' : 'sync-left')
}
