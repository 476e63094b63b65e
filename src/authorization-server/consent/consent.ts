import { createHash, randomBytes } from 'node:crypto'
import {
  byConnection,
  chosenStreams,
  EVERYTHING,
  type OfferedStream,
  SHARE_NOTHING,
} from '../../model/access/consent.ts'
import type { GrantedStream } from '../../model/access/grant.ts'
import { READ_SCOPE } from '../../model/access/oauth-scope.ts'
import { describeGranted } from '../../model/access/selection-request.ts'
import { timeKey } from '../../model/declaration/keys.ts'
import { CodedError } from '../../model/errors.ts'
import { readSessionForm } from '../owner/owner-form.ts'
import { seeOther } from '../owner/owner-session.ts'
import type { PageRequest } from '../page-request.ts'
import { choicePage } from './consent-choice-page.ts'
import { type ConsentForm, expiryOf, formFields, presetForm, readConsentForm } from './consent-form.ts'
import { previewStreams, type Shared } from './consent-preview.ts'
import { type Asking, openRequest } from './consent-request.ts'
import { reviewPage } from './consent-review-page.ts'

const GRANT_SECONDS = 3_650 * 86_400

export async function showConsent(page: PageRequest): Promise<Response> {
  const asking = await openRequest(page)
  if (asking instanceof Response) return asking
  const { env } = page
  const form = presetForm(asking.offered, {
    singleUse: asking.asked?.single_use ?? false,
    newest: newestTime(asking.offered, await previewStreams(env, widest(asking.offered))),
    now: env.clock(),
  })
  const chosen = chosenStreams(asking.offered, form.choice)
  // A request that says what it wants is shown as asked; the owner may still change it.
  if (asking.asked !== null && chosen.length > 0) return review(page, asking, form)
  return choose(page, asking, form)
}

export async function decide(page: PageRequest): Promise<Response> {
  const asking = await openRequest(page)
  if (asking instanceof Response) return asking
  const { env, request } = page
  const fields = await readSessionForm(env, request, asking.session)
  const action = fields.get('action')
  if (action === 'deny') return deny(page, asking)
  const form = readConsentForm(fields, asking.offered, asking.asked?.single_use ?? false, env.clock())
  if (action === 'change') return choose(page, asking, form)
  if (action === 'review') return review(page, asking, form)
  if (action === 'approve') return approve(page, asking, form, fields.get('shown') ?? '')
  throw new CodedError('invalid_request', 'There is no such action.', { param: 'action' })
}

/** All that is offered. */
function widest(offered: readonly OfferedStream[]): GrantedStream[] {
  const sets = new Map(offered.map(({ key }) => [key, EVERYTHING]))
  return chosenStreams(offered, { sets, fields: new Map(), since: null, until: null })
}

/** When the newest record of what is offered is from, as an instant key; null when nothing has a time. */
function newestTime(offered: readonly OfferedStream[], shared: readonly Shared[]): string | null {
  const times = shared.map(({ granted, example }) => {
    const field = offered.find(({ stream }) => stream.name === granted.stream)?.stream.consent_time_field
    return field === undefined ? null : timeKey(example?.[field])
  })
  return (
    times
      .filter(time => time !== null)
      .sort()
      .at(-1) ?? null
  )
}

async function choose(
  { env }: PageRequest,
  asking: Asking,
  form: ConsentForm,
  problem?: CodedError,
): Promise<Response> {
  const previews = await previewStreams(env, widest(asking.offered))
  return choicePage(asking, form, previews, problem)
}

async function review(
  page: PageRequest,
  asking: Asking,
  form: ConsentForm,
  changed?: CodedError,
): Promise<Response> {
  const streams = chosenStreams(asking.offered, form.choice)
  if (streams.length === 0) {
    const untouched = [...form.choice.sets.values()].every(set => set === SHARE_NOTHING)
    const message = untouched
      ? 'Nothing is chosen yet. Choose what to share, or press “Don’t allow”.'
      : 'No field is ticked. Tick at least one, or choose a ready-made set.'
    return choose(page, asking, form, new CodedError('invalid_request', message))
  }
  const shared = await previewStreams(page.env, streams)
  const fields = formFields(form, asking.offered)
  const shown = digestOf(asking, form, shared)
  return reviewPage({ asking, form, shared, fields, shown, now: page.env.clock() }, changed)
}

/** Stands for everything that the owner is shown before approving. */
function digestOf({ card, asked }: Asking, { lifetime }: ConsentForm, shared: readonly Shared[]): string {
  const { client_id, name, verifiedHost, redirect_uri } = card
  const content = { client_id, name, verifiedHost, redirect_uri, purpose: asked?.purpose, lifetime, shared }
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url')
}

async function approve(
  page: PageRequest,
  asking: Asking,
  form: ConsentForm,
  shown: string,
): Promise<Response> {
  const { env, provider, node } = page
  const streams = chosenStreams(asking.offered, form.choice)
  const current = digestOf(asking, form, await previewStreams(env, streams))
  if (streams.length === 0 || shown !== current) {
    const message =
      'Since this page was shown, your data, its description or the app’s request has changed. Nothing was shared. Look again before you allow it.'
    return review(page, asking, form, new CodedError('consent_changed', message))
  }
  const now = env.clock()
  const { card, interaction } = asking
  const { owner_id } = env.store
  const consent_id = randomBytes(24).toString('base64url')
  await env.store.writer.call('decideConsent', {
    owner_id,
    interaction: interaction.uid,
    client_id: card.client_id,
    client_name: card.name,
    grants: byConnection(streams),
    expires_at: expiryOf(form.lifetime, now),
    single_use: form.lifetime === 'once',
    artifact: {
      owner_id,
      model: 'Grant',
      id: consent_id,
      payload: oauthGrant(asking, streams, owner_id),
      consent_id,
      lookup: null,
      opens: false,
      now: now.toISOString(),
      expires_at: null,
    },
    now: now.toISOString(),
  })
  const login = { accountId: owner_id, remember: false }
  const back = await provider.interactionResult(node.incoming, node.outgoing, {
    login,
    consent: { grantId: consent_id },
  })
  return seeOther(back)
}

/** What oidc-provider hangs codes and tokens on. */
function oauthGrant({ interaction, card }: Asking, streams: GrantedStream[], accountId: string) {
  const { resource, scope } = interaction.params as { resource?: string | string[]; scope?: string }
  const iat = Math.floor(Date.now() / 1000)
  return {
    kind: 'Grant',
    accountId,
    clientId: card.client_id,
    iat,
    exp: iat + GRANT_SECONDS,
    resources: Object.fromEntries([resource ?? []].flat().map(each => [each, READ_SCOPE])),
    ...(scope?.split(' ').includes('offline_access') ? { openid: { scope: 'offline_access' } } : {}),
    rar: [describeGranted(streams)],
  }
}

async function deny({ env, provider, node }: PageRequest, { card }: Asking): Promise<Response> {
  await env.store.writer.call('noteDenial', {
    owner_id: env.store.owner_id,
    client_id: card.client_id,
    now: env.clock().toISOString(),
  })
  const result = { error: 'access_denied', error_description: 'The owner did not allow it.' }
  return seeOther(await provider.interactionResult(node.incoming, node.outgoing, result))
}
