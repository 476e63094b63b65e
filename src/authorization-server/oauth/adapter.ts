import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider'
import { CodedError } from '../../model/errors.ts'
import { readConsent } from '../../store/access/consents.ts'
import { type FoundArtifact, findArtifact } from '../../store/access/oauth-artifacts.ts'
import { hashOf } from '../../store/engine/identifiers.ts'
import type { AuthorizationEnvironment } from '../environment.ts'

/** Processes of one client that refresh at the same moment must not sign each other out. */
const REFRESH_GRACE_MS = 30_000

/** What gives no access once the owner has ended every grant of its consent. */
const ENDS_WITH_CONSENT = new Set(['AccessToken', 'RefreshToken', 'Grant'])
/** What a request stores before anyone has approved it. */
const PENDING = new Set(['Client', 'PushedAuthorizationRequest', 'Interaction', 'DeviceCode', 'Session'])
/** The kinds that contain authorization details, which may name a thousand records. */
const DETAILED = new Set(['PushedAuthorizationRequest', 'Interaction', 'DeviceCode'])
const MOST_PENDING_BYTES = 16_384
const MOST_DETAILED_BYTES = 65_536
const USED_ONCE = new Set(['AuthorizationCode', 'DeviceCode'])

/**
 * oidc-provider's storage on top of ours. Secrets are stored as hashes: the payload can be read completely only with
 * the id.
 */
export class StoreAdapter implements Adapter {
  readonly #env: AuthorizationEnvironment
  readonly #model: string

  constructor(env: AuthorizationEnvironment, model: string) {
    this.#env = env
    this.#model = model
  }

  get #place() {
    return { owner_id: this.#env.store.owner_id, model: this.#model }
  }

  get #opens(): boolean {
    return this.#model === 'AccessToken'
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const now = this.#env.clock()
    const kept = this.#withoutSecrets(id, payload)
    const pending = PENDING.has(this.#model)
    const most = DETAILED.has(this.#model) ? MOST_DETAILED_BYTES : MOST_PENDING_BYTES
    if (pending && Buffer.byteLength(JSON.stringify(payload)) > most)
      throw new errors.InvalidRequest(`the request is longer than ${most} bytes`)
    const saved = this.#env.store.writer.call('saveArtifact', {
      ...this.#place,
      id,
      payload: kept,
      consent_id: payload.grantId ?? (this.#model === 'Grant' ? id : null),
      lookup: payload.userCode ?? (this.#model === 'Session' ? (payload.uid ?? null) : null),
      opens: this.#opens,
      asked_from: pending ? this.#asker(payload) : null,
      now: now.toISOString(),
      expires_at: expiresIn === undefined ? null : new Date(now.getTime() + expiresIn * 1000).toISOString(),
    })
    await saved.catch((error: unknown) => {
      const isConsumed = error instanceof CodedError && error.code === 'grant_consumed'
      throw isConsumed ? new errors.InvalidGrant('the access was for a single use and is used up') : error
    })
  }

  /** Who caused this, as a keyed hash; null once an owner has approved it. */
  #asker({ accountId, grantId }: AdapterPayload): string | null {
    const caller = Provider.ctx?.ip
    if (caller === undefined || accountId !== undefined || grantId !== undefined) return null
    return createHmac('sha256', this.#env.store.sealingKey).update(`caller\0${caller}`).digest('base64url')
  }

  #withoutSecrets(id: string, payload: AdapterPayload): Record<string, unknown> {
    // An interaction contains the secrets of a session and of a device code.
    if (this.#model === 'Interaction') return { sealed: seal(id, JSON.stringify(payload)) }
    const { jti: _, userCode, client_secret, ...rest } = payload
    if (client_secret !== undefined) return { ...rest, client_secret: hashOf(client_secret) }
    // The user code leads to the device code.
    return userCode === undefined ? rest : { ...rest, sealed_id: seal(userCode, id) }
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const found = await findArtifact(this.#env.store.database, { ...this.#place, by: 'id', value: id })
    return found && this.#whole(found, { jti: id })
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    const found = await this.#findBy(userCode, { userCode })
    const { sealed_id } = (found ?? {}) as { sealed_id?: string }
    return found && sealed_id ? { ...found, jti: unseal(userCode, sealed_id) } : undefined
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#findBy(uid, { uid })
  }

  async #findBy(value: string, known: Partial<AdapterPayload>): Promise<AdapterPayload | undefined> {
    const found = await findArtifact(this.#env.store.database, { ...this.#place, by: 'lookup', value })
    return found && this.#whole(found, known)
  }

  async #whole(
    { payload, consent_id, consumed_at }: FoundArtifact,
    known: Partial<AdapterPayload>,
  ): Promise<AdapterPayload | undefined> {
    const now = this.#env.clock()
    const { owner_id, database } = this.#env.store
    const ends = ENDS_WITH_CONSENT.has(this.#model)
    const consent =
      ends && consent_id !== null ? await readConsent(database, { owner_id, consent_id, now }) : null
    if (ends && (consent === null || consent.active.length === 0)) return undefined
    if (this.#model === 'Interaction')
      return JSON.parse(unseal(known.jti ?? '', String(payload.sealed))) as AdapterPayload
    if (this.#model === 'Client') return payload as AdapterPayload
    const usedAt = consumed_at === null ? null : Date.parse(consumed_at)
    const hasGrace = this.#model === 'RefreshToken' && consent?.strict === false
    const inGrace = hasGrace && usedAt !== null && now.getTime() - usedAt <= REFRESH_GRACE_MS
    const consumed = usedAt === null || inGrace ? {} : { consumed: Math.floor(usedAt / 1000) }
    return { ...payload, ...known, ...consumed } as AdapterPayload
  }

  async consume(id: string): Promise<void> {
    const now = this.#env.clock().toISOString()
    const first = await this.#env.store.writer.call('consumeArtifact', { ...this.#place, id, now })
    if (!first && USED_ONCE.has(this.#model)) throw new errors.InvalidGrant('already used')
  }

  /**
   * oidc-provider destroys an access token only together with its grant, which ends it. It stays known until it expires,
   * so that its client learns why it is refused.
   */
  async destroy(id: string): Promise<void> {
    if (this.#model === 'Grant') return this.#endConsent(id)
    if (!this.#opens) await this.#env.store.writer.call('destroyArtifact', { ...this.#place, id })
  }

  async #endConsent(consent_id: string): Promise<void> {
    const byClient = Provider.ctx?.oidc?.route === 'revocation'
    await this.#env.store.endConsent({
      owner_id: this.#env.store.owner_id,
      consent_id,
      actor: byClient ? 'client' : 'server',
      now: this.#env.clock().toISOString(),
    })
  }

  async revokeByGrantId(consent_id: string): Promise<void> {
    if (!this.#opens) await this.#env.store.writer.call('revokeArtifacts', { ...this.#place, consent_id })
  }
}

/** A key that only the holder of the id can derive; each id is used for one payload at a time, with a fresh nonce. */
function keyOf(id: string): Buffer {
  return Buffer.from(hkdfSync('sha256', id, '', 'footnote interaction', 32))
}

function seal(id: string, text: string): string {
  const nonce = crypto.getRandomValues(Buffer.alloc(12))
  const cipher = createCipheriv('aes-256-gcm', keyOf(id), nonce)
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  )
}

function unseal(id: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', keyOf(id), bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8')
}
