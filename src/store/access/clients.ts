import type { listClients as contract } from '../../api/owner/grants.ts'
import type { ReplyOf } from '../../api/route.ts'
import { type Grant, type GrantTerms, isActive } from '../../model/access/grant.ts'
import { CodedError } from '../../model/errors.ts'
import type { Database, Queryable, Transaction } from '../engine/database.ts'
import { randomId } from '../engine/identifiers.ts'
import { lockedTransaction } from '../engine/owner-row.ts'
import { findRow, listRows } from '../engine/rows.ts'
import { GRANTS_OF_CONSENTS, HELD_GRANT, type HeldRow, insertGrant, stateOf } from './grants.ts'
import { CLIENTS, CONSENT_GRANTS, CONSENTS, TOKEN_GRANTS } from './tables.ts'

/** The client of that name that the owner created, or a new one. */
export async function ensureClient(
  transaction: Transaction,
  owner_id: string,
  name: string,
  now: string,
): Promise<string> {
  const known = await transaction.get<{ client_id: string }>(
    // A client that registered itself chose its own name, so the name does not make it one that the owner created.
    'SELECT client_id FROM clients WHERE owner_id = ? AND name = ? AND origin IS NULL ORDER BY created_at LIMIT 1',
    [owner_id, name],
  )
  if (known) return known.client_id
  const client_id = randomId('cli_', 10)
  await transaction.insert(CLIENTS, [{ owner_id, client_id, name, created_at: now }])
  return client_id
}

/**
 * A client, the connections that its active grants name, and whether the owner can give it access to more.
 */
type ClientRow = Omit<ReplyOf<typeof contract>['data'][number], 'object'>

export async function listClients(database: Queryable, owner_id: string, now: Date): Promise<ClientRow[]> {
  const columns = ['client_id', 'name', 'created_at'] as const
  const rows = await listRows(database, CLIENTS, columns, { owner_id }, ['created_at', 'client_id'])
  const places = await shownPlaces(database, owner_id)
  const holdings = Map.groupBy(await activeHoldings(database, owner_id, now), each => each.client_id)
  return rows.map(row => {
    const own = holdings.get(row.client_id) ?? []
    const ids = own.flatMap(({ grant }) => grant.streams.flatMap(({ instance_ids }) => instance_ids))
    return {
      ...row,
      answers_to: places.get(row.client_id) ?? null,
      connection_ids: [...new Set(ids)].sort(),
      extendable: own.some(isExtendable),
    }
  })
}

/** Where the answers of each client go, as its newest consent showed it. */
async function shownPlaces(database: Queryable, owner_id: string): Promise<Map<string, string>> {
  const rows = await listRows(database, CONSENTS, ['client_id', 'evidence'], { owner_id }, ['decided_at'])
  return new Map(
    rows.flatMap(({ client_id, evidence }) => {
      const { client } = JSON.parse(evidence ?? '{}') as { client?: { goesTo?: string } }
      return client?.goesTo === undefined ? [] : [[client_id, client.goesTo] as const]
    }),
  )
}

/**
 * An active grant, and what its client uses it through: a consent with all its tokens, or a token that the owner
 * created.
 */
interface Holding {
  client_id: string
  grant: Grant
  expires_at: string | null
  consent_id: string | null
  token_hash: string | null
  /** Whether the client asked for exact terms. */
  strict: boolean
}

/** A client that asked for exact terms, or for single use, has to ask again. */
function isExtendable({ strict, grant }: Holding): boolean {
  return !strict && grant.access_mode === 'continuous'
}

async function activeHoldings(database: Queryable, owner_id: string, now: Date): Promise<Holding[]> {
  const rows = await database.all<
    HeldRow & { consent_id: string | null; token_hash: string | null; strict: number }
  >(
    `SELECT ${HELD_GRANT}, co.consent_id, NULL AS token_hash, co.strict FROM ${GRANTS_OF_CONSENTS}
     WHERE co.owner_id = ? AND g.revoked_at IS NULL
     UNION ALL
     SELECT ${HELD_GRANT}, NULL AS consent_id, t.token_hash, 0 AS strict FROM tokens t
       JOIN token_grants tg ON tg.owner_id = t.owner_id AND tg.token_hash = t.token_hash
       JOIN grants g ON g.owner_id = tg.owner_id AND g.grant_id = tg.grant_id
     WHERE t.owner_id = ? AND g.revoked_at IS NULL AND NOT EXISTS (SELECT 1 FROM consent_grants cg
       WHERE cg.owner_id = g.owner_id AND cg.grant_id = g.grant_id)`,
    [owner_id, owner_id],
  )
  return rows
    .filter(row => isActive(stateOf(row), now))
    .map(({ client_id, content, expires_at, consent_id, token_hash, strict }) => {
      const grant = JSON.parse(content) as Grant
      return { client_id, grant, expires_at, consent_id, token_hash, strict: strict === 1 }
    })
}

/**
 * Lets a connected client read more: adds new grants to its existing tokens. They end when the last of its other grants
 * does. What it can already read is not granted twice.
 */
export async function addGrants(
  database: Database,
  args: { owner_id: string; client_id: string; terms: readonly GrantTerms[]; now: string },
): Promise<Grant[]> {
  const { owner_id, client_id, terms, now } = args
  return lockedTransaction(database, owner_id, async transaction => {
    const found = await findRow(transaction, CLIENTS, ['name'], { owner_id, client_id })
    if (!found) throw new CodedError('client_not_found', `There is no app ${client_id}.`)
    const client = { client_id, client_display: { name: found.name } }
    const held = await activeHoldings(transaction, owner_id, new Date(now))
    const own = held.filter(each => each.client_id === client_id)
    const extendable = own.filter(isExtendable)
    if (extendable.length === 0) throw mustAsk(found.name, own.length > 0)
    const made: Grant[] = []
    for (const holdings of Map.groupBy(extendable, each => each.consent_id ?? each.token_hash).values()) {
      const ends = holdings.map(({ expires_at }) => expires_at)
      const last = ends.includes(null) ? null : ends.sort().at(-1)
      for (const each of terms) {
        if (holdings.some(({ grant }) => opensTheSame(grant, each))) continue
        const ended = last ? { ...each, expires_at: last } : each
        const grant = await insertGrant(transaction, { owner_id, client, terms: ended, now }, 'source_added')
        made.push(grant)
        await bind(transaction, owner_id, grant.grant_id, holdings[0])
      }
    }
    return made
  })
}

function mustAsk(name: string, reads: boolean): CodedError {
  const reason = reads ? `${name} asked for exactly what it reads` : `${name} can read nothing now`
  return new CodedError('client_must_ask', `${reason}, so it has to ask again: connect it in the app.`)
}

function opensTheSame(grant: Grant, terms: GrantTerms): boolean {
  const text = ({ source, source_declaration, streams }: GrantTerms) =>
    JSON.stringify([source.id, source_declaration.version, streams])
  return text(grant) === text(terms)
}

/** Gives a grant to the tokens of a consent, or to one token. */
async function bind(
  transaction: Transaction,
  owner_id: string,
  grant_id: string,
  holding: Holding | undefined,
): Promise<void> {
  const { consent_id = null, token_hash = null } = holding ?? {}
  const tokens = [...(token_hash === null ? [] : [{ token_hash }])]
  if (consent_id !== null) {
    await transaction.insert(CONSENT_GRANTS, [{ owner_id, consent_id, grant_id }])
    const issued = await transaction.all<{ token_hash: string }>(
      `SELECT t.token_hash FROM oauth_artifacts a
       JOIN tokens t ON t.owner_id = a.owner_id AND t.token_hash = a.artifact_key
       WHERE a.owner_id = ? AND a.model = 'AccessToken' AND a.consent_id = ?`,
      [owner_id, consent_id],
    )
    tokens.push(...issued)
  }
  await transaction.insert(
    TOKEN_GRANTS,
    tokens.map(each => ({ owner_id, token_hash: each.token_hash, grant_id })),
  )
}
