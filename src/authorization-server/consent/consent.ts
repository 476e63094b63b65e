import { createHash, randomBytes } from 'node:crypto'
import { READ_SCOPE, resourcesOf } from '../../api/discovery.ts'
import {
  chosenStreams,
  EVERYTHING,
  leftOut,
  type Offer,
  SHARE_NOTHING,
  termsOf,
} from '../../model/access/consent.ts'
import type { GrantTerms } from '../../model/access/grant.ts'
import { sameForAll, withAll, withAllOf } from '../../model/access/known-choice.ts'
import { AI_TRAINING } from '../../model/access/purpose.ts'
import { DATA_ACCESS } from '../../model/access/selection-request.ts'
import { CodedError } from '../../model/errors.ts'
import { Times } from '../../pages/times.ts'
import { listed } from '../../pages/words.ts'
import { type Decision, oauthEnd } from '../../store/access/consents.ts'
import type { PageRequest } from '../environment.ts'
import { readSessionForm } from '../owner/owner-form.ts'
import { seeOther } from '../owner/owner-session.ts'
import { choicePage } from './consent-choice-page.ts'
import { type ConsentForm, expiryOf, formFields, presetForm, readConsentForm } from './consent-form.ts'
import { type Asking, openRequest } from './consent-request.ts'
import { type ReviewedOffer, reviewPage } from './consent-review-page.ts'
import { previewOffers, sharedBy } from './consent-shared.ts'

export async function showConsent(page: PageRequest): Promise<Response> {
  const asking = await openRequest(page)
  if (asking instanceof Response) return asking
  const form = presetForm(offered(asking), asking.had)
  // A request that says what it wants is shown unchanged; the owner can still change it.
  const isComplete = asking.offers.every(
    offer => offer.request !== null && offer.missing.length === 0 && problemWith(offer, form) === null,
  )
  return isComplete ? review(page, asking, form) : choose(page, asking, form)
}

export async function decide(page: PageRequest): Promise<Response> {
  const opened = await openRequest(page)
  if (opened instanceof Response) return opened
  // After the first click, the form contains the owner's choices.
  const asking = { ...opened, had: [] }
  const { env, request } = page
  const fields = await readSessionForm(env, request, asking.session)
  const action = fields.get('action')
  if (action === 'deny') return deny(page, asking)
  const form = readConsentForm(fields, offered(asking), { zone: env.timeZone, now: env.clock() })
  if (action === 'change' || action === 'count') return choose(page, asking, form)
  if (action === 'all' || action === 'none') {
    const choice = withAll(free(asking), form.choice, action === 'all' ? EVERYTHING : SHARE_NOTHING)
    return choose(page, asking, { ...form, choice })
  }
  const [change = '', accounts] = action?.split(':') ?? []
  const changed = accounts === undefined ? undefined : CHANGES[change]
  if (changed && accounts !== undefined) {
    const choice = changed(offered(asking), form.choice, accounts)
    return choose(page, asking, { ...form, choice })
  }
  if (action === 'review') return review(page, asking, form)
  if (action === 'approve') return approve(page, asking, form, fields.get('shown') ?? '')
  throw new CodedError('invalid_request', 'Unknown action.', { param: 'action' })
}

/** How a button beside a source changes the choice. */
const CHANGES: Readonly<Record<string, typeof sameForAll>> = {
  everything: (offered, choice, accounts) => withAllOf(offered, choice, accounts, EVERYTHING),
  nothing: (offered, choice, accounts) => withAllOf(offered, choice, accounts, SHARE_NOTHING),
  same: sameForAll,
}

function offered({ offers }: Asking) {
  return offers.flatMap(({ streams }) => streams)
}

/** What is offered to an app that asks for nothing in particular. */
function free({ offers }: Asking) {
  return offers.flatMap(({ request, streams }) => (request === null ? streams : []))
}

/** Why a choice cannot be granted for its detail; null if it can. */
function problemWith(offer: Offer, { choice }: ConsentForm): string | null {
  const chosen = chosenStreams(offer, choice)
  if (chosen.length === 0) return 'Nothing is chosen yet. Choose what to share, or press “Don’t allow”.'
  const missing = [...offer.missing, ...leftOut(offer, chosen)]
  return missing.length === 0
    ? null
    : `The app needs ${listed(missing)} as well. Share it too, or share nothing from this request.`
}

async function choose(
  { env }: PageRequest,
  asking: Asking,
  form: ConsentForm,
  problem?: CodedError,
): Promise<Response> {
  const previews = await previewOffers(env, asking.offers, form.choice)
  return choicePage(asking, form, { previews, times: timesOf(env) }, problem)
}

function timesOf({ timeZone, clock }: PageRequest['env']): Times {
  return new Times(timeZone, clock())
}

async function review(
  page: PageRequest,
  asking: Asking,
  form: ConsentForm,
  problem?: CodedError,
): Promise<Response> {
  const nothing = [...form.choice.sets.values()].every(set => set === SHARE_NOTHING)
  const answered = nothing
    ? asking.offers
    : asking.offers.filter(offer => chosenStreams(offer, form.choice).length > 0)
  const wrong = answered.map(offer => problemWith(offer, form)).find(each => each !== null)
  if (wrong !== undefined) return choose(page, asking, form, new CodedError('invalid_request', wrong))
  const offers = await reviewed(page, asking, form)
  const fields = formFields(form, offered(asking), page.env.timeZone)
  const shown = digestOf(asking, form, offers)
  return reviewPage({ asking, form, offers, fields, shown, times: timesOf(page.env) }, problem)
}

async function reviewed(
  { env }: PageRequest,
  { offers }: Asking,
  { choice }: ConsentForm,
): Promise<ReviewedOffer[]> {
  const all = await Array.fromAsync(offers.entries(), async ([no, offer]) => ({
    no,
    offer,
    shared: await sharedBy(env, offer, choice),
  }))
  return all.filter(({ shared }) => shared.length > 0)
}

/** A digest of everything that the owner is shown before approving (PC-40). */
function digestOf({ card }: Asking, { lifetime }: ConsentForm, offers: readonly ReviewedOffer[]): string {
  const shown = offers.map(({ offer, shared }) => ({
    request: offer.request,
    shared: shared.map(({ offered, granted, count, example }) => ({
      granted,
      count,
      example,
      stream: offered.stream,
      accounts: offered.connections.map(({ display_name }) => display_name),
    })),
  }))
  return createHash('sha256').update(JSON.stringify({ card, lifetime, shown })).digest('base64url')
}

async function approve(
  page: PageRequest,
  asking: Asking,
  form: ConsentForm,
  shown: string,
): Promise<Response> {
  const { env, provider, node } = page
  const offers = await reviewed(page, asking, form)
  const isWhole = offers.length > 0 && offers.every(({ offer }) => problemWith(offer, form) === null)
  if (!isWhole || shown !== digestOf(asking, form, offers)) {
    const message =
      'Since this page was shown, your data, its description or the app’s request has changed. Nothing was shared. Look again before you allow it.'
    return review(page, asking, form, new CodedError('consent_changed', message))
  }
  const untrained = offers.some(
    ({ no, offer }) => offer.request?.purpose_code === AI_TRAINING && !form.training.has(String(no)),
  )
  if (untrained) {
    const message =
      'The app wants to train AI models with this data. Tick that you agree, or press “Don’t allow”.'
    return review(page, asking, form, new CodedError('invalid_request', message, { param: 'training' }))
  }
  const now = env.clock()
  const expires_at = expiryOf(form.lifetime, now)
  const grants = offers.flatMap(({ offer, shared }) => termsOf(offer, shared, expires_at))
  const made = decision(asking, {
    owner_id: env.store.owner_id,
    resources: resourcesOf(env.publicUrl),
    grants,
    expires_at,
    shown,
    training: offers.some(({ offer }) => offer.request?.purpose_code === AI_TRAINING),
    now,
  })
  await env.store.writer.call('decideConsent', made)
  const login = { accountId: made.owner_id, remember: false }
  const consent = { grantId: made.artifact.id }
  const { incoming, outgoing } = node
  return seeOther(await (await provider()).interactionResult(incoming, outgoing, { login, consent }))
}

async function deny({ env, provider, node }: PageRequest, { card }: Asking): Promise<Response> {
  await env.store.writer.call('noteDenial', {
    owner_id: env.store.owner_id,
    client_id: card.client_id,
    client_name: card.name,
    now: env.clock().toISOString(),
  })
  const result = { error: 'access_denied', error_description: 'The owner did not allow it.' }
  return seeOther(await (await provider()).interactionResult(node.incoming, node.outgoing, result))
}

interface Approved {
  owner_id: string
  /** Every address of this server. */
  resources: readonly string[]
  grants: GrantTerms[]
  expires_at: string | null
  shown: string
  training: boolean
  now: Date
}

/** What is written when the owner allows a request: the grants, the evidence of the decision, and OAuth's own grant. */
function decision({ interaction, card, offers }: Asking, approved: Approved): Decision {
  const { owner_id, resources, grants, expires_at, shown, training, now } = approved
  const requests = offers.flatMap(({ request }) => request ?? [])
  const iat = Math.floor(now.getTime() / 1000)
  const payload = {
    kind: 'Grant',
    accountId: owner_id,
    clientId: card.client_id,
    iat,
    exp: oauthEnd(iat, expires_at),
    // Only says that there are details; their content comes from the grants that are active when it is requested.
    rar: [{ type: DATA_ACCESS }],
    resources: Object.fromEntries(resources.map(each => [each, READ_SCOPE])),
  }
  const id = randomBytes(24).toString('base64url')
  return {
    owner_id,
    interaction: interaction.uid,
    client_id: card.client_id,
    client_name: card.name,
    grants,
    // A request with details is followed strictly: a refresh token works once (RFC 6819, PC-54).
    strict: requests.length > 0,
    evidence: { digest: shown, client: card, requests, ai_training: training },
    artifact: {
      owner_id,
      model: 'Grant',
      id,
      payload,
      consent_id: id,
      lookup: null,
      opens: false,
      asked_from: null,
      now: now.toISOString(),
      expires_at: null,
    },
    now: now.toISOString(),
  }
}
