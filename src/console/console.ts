import { exportEverything, exportLedger, exportLedgerTable } from '../api/owner/ledger.ts'
import type { OriginPart, OriginRoute } from '../api/route.ts'
import { inDemo } from '../pages/demo.ts'
import { errorPage } from '../pages/error-page.ts'
import { showActivity, verifyNow } from './activity/activity-page.ts'
import { changeAlerts } from './activity/alerts.ts'
import { showAppActivity } from './activity/app-activity-page.ts'
import { showRequest } from './activity/request-page.ts'
import { changeApp, showApp } from './apps/app-page.ts'
import { removeAccess, showApps, showRemoval } from './apps/apps-page.ts'
import { changeGrant, showGrant } from './apps/change-grant-page.ts'
import { showConnect } from './apps/connect-page.ts'
import { sendReceipt } from './apps/receipt.ts'
import { allowWanted, showWanted } from './apps/wanted-page.ts'
import type { ConsoleEnvironment, Session } from './environment.ts'
import { showHome } from './home/home-page.ts'
import { showPeople } from './people/people-page.ts'
import { changePerson, showPerson } from './people/person-page.ts'
import { sendFile } from './record/file-download.ts'
import { showReaders } from './record/readers-page.ts'
import { showNamedRecord, showRecord } from './record/record-page.ts'
import { changeSavedSearches } from './search/saved-searches.ts'
import { showSearch } from './search/search-page.ts'
import { showAudit } from './settings/audit-page.ts'
import { changeServerSettings, showServerSettings } from './settings/server-page.ts'
import { decideImport, receiveFile, showImport, showPreview } from './sources/import-page.ts'
import { showImportRemoval, showImportRun, undoImport } from './sources/import-run-page.ts'
import { changeKept, KEPT_PATH, showKept } from './sources/kept-page.ts'
import {
  removeSamples,
  SAMPLES_PATH,
  showSamplesRemoval,
  showSourceRemoval,
} from './sources/removal-pages.ts'
import { changeSource, showSource } from './sources/source-page.ts'
import { showSourceRecords } from './sources/source-records-page.ts'
import { showSources } from './sources/sources-page.ts'
import { type Visit, visitOf } from './visit.ts'

type Show = (visit: Visit) => Promise<Response>
/** Reads a form that is too large to keep in memory. */
type Upload = (visit: Visit, request: Request, session: Session) => Promise<Response>
type Receive = (visit: Visit, form: URLSearchParams) => Promise<Response>

/** Every page of the console: its path, the function that shows it, and the function that receives its form. */
const PAGES: readonly { path: string; show: Show; receive?: Receive; upload?: Upload }[] = [
  { path: '/', show: showHome },
  { path: '/search', show: showSearch, receive: changeSavedSearches },
  { path: '/people', show: showPeople },
  { path: '/people/:person', show: showPerson, receive: changePerson },
  { path: '/activity', show: showActivity, receive: verifyNow },
  { path: '/activity/alerts', show: showActivity, receive: changeAlerts },
  { path: '/activity/ledger.ndjson', show: ({ fetch }) => fetch(exportLedger, {}) },
  { path: '/activity/ledger.csv', show: ({ fetch }) => fetch(exportLedgerTable, {}) },
  { path: '/activity/:client_id', show: showAppActivity },
  { path: '/activity/:client_id/:disclosure_id', show: showRequest },
  { path: '/apps', show: showApps, receive: removeAccess },
  { path: '/apps/remove', show: showRemoval },
  { path: '/apps/:client_id', show: showApp, receive: changeApp },
  { path: '/apps/:client_id/wants', show: showWanted, receive: allowWanted },
  { path: '/apps/:client_id/:grant_id', show: showGrant, receive: changeGrant },
  { path: '/apps/:client_id/:grant_id/receipt', show: sendReceipt },
  { path: '/connect', show: showConnect },
  { path: '/import', show: showImport, upload: receiveFile },
  { path: '/import/:upload_id', show: showPreview, receive: decideImport },
  { path: '/sources', show: showSources },
  { path: KEPT_PATH, show: showKept, receive: changeKept },
  { path: SAMPLES_PATH, show: showSamplesRemoval, receive: removeSamples },
  { path: '/sources/:connection_id', show: showSource, receive: changeSource },
  { path: '/sources/:connection_id/records', show: showSourceRecords },
  { path: '/sources/:connection_id/remove', show: showSourceRemoval },
  { path: '/sources/:connection_id/imports/:import_id', show: showImportRun, receive: undoImport },
  { path: '/sources/:connection_id/imports/:import_id/remove', show: showImportRemoval },
  { path: '/settings/changes', show: showAudit },
  { path: '/settings/server', show: showServerSettings, receive: changeServerSettings },
  { path: '/settings/footnote.ndjson', show: ({ fetch }) => fetch(exportEverything, {}) },
  { path: '/files/:blob_id', show: sendFile },
  { path: '/r/:connection_id/:stream/:record_id', show: showRecord },
  { path: '/r/:connection_id/:stream/:record_id/readers', show: showReaders },
  { path: '/r/:connection_id/:named', show: showNamedRecord },
]

const MESSAGES = {
  connection_not_found: 'There is no such source.',
  blob_not_found: 'There is no such file.',
  rate_limit_exceeded:
    'Footnote is still busy with your earlier requests. Reload this page in a few seconds.',
}

/** The owner's pages. They read through the resource server like any other client, as the owner. */
export function consolePart(env: ConsoleEnvironment): OriginPart {
  return {
    routes: PAGES.flatMap(({ path, show, receive, upload }): OriginRoute[] => [
      { method: 'GET', path, access: 'session', handle: shown(env, show) },
      ...(receive
        ? [{ method: 'POST', path, access: 'session', handle: received(env, receive) } as const]
        : []),
      ...(upload
        ? [{ method: 'POST', path, access: 'session', handle: uploaded(env, upload) } as const]
        : []),
    ]),
    refuse: (error, _, { request_id }) =>
      errorPage(error, {
        titles: { 404: 'Nothing is here' },
        messages: MESSAGES,
        signedIn: true,
        request_id,
      }),
  }
}

function shown(env: ConsoleEnvironment, show: Show): OriginRoute['handle'] {
  return async (request, context) => {
    const session = await env.requireOwner(request)
    if (session instanceof Response) return session
    return shownTo(visitOf(env, request, session, context), show)
  }
}

async function shownTo(visit: Visit, show: Show): Promise<Response> {
  const response = await show(visit)
  return visit.isDemo ? inDemo(response) : response
}

function uploaded(env: ConsoleEnvironment, upload: Upload): OriginRoute['handle'] {
  return async (request, context) => {
    const session = await env.requireOwner(request)
    if (session instanceof Response) return session
    return shownTo(visitOf(env, request, session, context), visit => upload(visit, request, session))
  }
}

function received(env: ConsoleEnvironment, receive: Receive): OriginRoute['handle'] {
  return async (request, context) => {
    const sent = await env.readOwnerForm(request)
    if (sent instanceof Response) return sent
    return shownTo(visitOf(env, request, sent.session, context), visit => receive(visit, sent.form))
  }
}
