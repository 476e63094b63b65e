import { html } from 'hono/html'
import { counted } from '../../model/amounts.ts'
import type { Html } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { joined } from '../../pages/words.ts'
import { type AppAccess, connectionsOf } from '../apps/app-access.ts'
import type { SourceOverview } from '../sources/overview.ts'

const DAY_MS = 86_400_000
const SOON_DAYS = 14
/** A running import reports its progress far more often than this. */
const STUCK_MS = 10 * 60_000

export interface Situation {
  sources: readonly SourceOverview[]
  apps: readonly AppAccess[]
  hasPassphrase: boolean
  /** What is wrong with the ledger. */
  warning: string | null
  /** The alerts that were raised. */
  raised: readonly string[]
  now: Date
  times: Times
}

/** What the owner may want to act on, the most urgent first. */
export function attention({ sources, apps, hasPassphrase, warning, raised, now, times }: Situation): Html[] {
  return [
    ...(warning ? [html`${warning} <a href="/activity">See the activity</a>`] : []),
    ...raised.map(each => html`${each} <a href="/activity">See the activity</a>`),
    ...(hasPassphrase
      ? []
      : [
          html`No passphrase is set, so only a sign-in link signs you in. <a href="/settings">Set a passphrase</a>`,
        ]),
    ...sources.flatMap(source => importProblem(source, now)),
    ...apps.flatMap(app => [...ending(app, times), ...unseen(app, sources)]),
  ]
}

function importProblem({ connection_id, name, run }: SourceOverview, now: Date): Html[] {
  if (!run || run.state === 'finished') return []
  const stopped = now.getTime() - Date.parse(run.changed_at) > STUCK_MS
  if (run.state === 'running' && !stopped) return []
  const what = run.state === 'failed' ? 'failed' : 'was interrupted'
  return [
    html`The last import into ${name} ${what} after ${counted(run.seen, 'item')}. Start it again and it resumes.
<a href="/sources/${connection_id}">See the import</a>`,
  ]
}

function ending({ name, client_id, grants }: AppAccess, times: Times): Html[] {
  const ends = grants.flatMap(({ expires_at }) => (expires_at === null ? [] : [expires_at])).sort()
  const [first] = ends
  if (first === undefined || Date.parse(first) - times.now.getTime() > SOON_DAYS * DAY_MS) return []
  return [
    html`The access of ${name} ends on ${times.day(first)}. <a href="/apps/${encodeURIComponent(client_id)}">Extend it, or let it end</a>`,
  ]
}

/**
 * Sources that were added after the owner last decided about this app. An app that may read only some of the sources was
 * limited on purpose, so nothing is said about it.
 */
function unseen({ name, client_id, grants }: AppAccess, sources: readonly SourceOverview[]): Html[] {
  const decided =
    grants
      .map(({ created_at }) => created_at)
      .sort()
      .at(-1) ?? ''
  const open = new Set(grants.flatMap(connectionsOf))
  const closed = sources.filter(({ connection_id }) => !open.has(connection_id))
  const missing = closed.filter(({ created_at }) => created_at > decided)
  if (missing.length === 0 || missing.length < closed.length) return []
  return [
    html`${name} cannot see ${joined(missing.map(source => source.name))}, which you added later.
<a href="/apps/${encodeURIComponent(client_id)}">Let it read this, or not</a>`,
  ]
}
