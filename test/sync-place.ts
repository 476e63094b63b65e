import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConnection, registerDeclaration } from '../src/api/owner/catalog.ts'
import { addSync, listSyncs, type Sync } from '../src/api/owner/syncs.ts'
import { listRecords } from '../src/api/records.ts'
import type { BodyOf } from '../src/api/route.ts'
import { readConfig } from '../src/cli/config.ts'
import { importInto } from '../src/cli/import/import-into.ts'
import { planOf } from '../src/cli/import/import-plan.ts'
import type { Counts } from '../src/cli/import/import-run.ts'
import { startOwnServer } from '../src/cli/own-server.ts'
import { runSync, type SyncCounts, type SyncSurroundings } from '../src/cli/sync/sync-run.ts'
import { MAIL } from '../src/importers/mail/declaration.ts'
import { openSource } from '../src/importers/source/open.ts'
import { seal } from '../src/sync/sealed-secret.ts'
import { freshPlace } from './command-line.ts'
import { PASSWORD, USER } from './dovecot.ts'
import type { Engine } from './places.ts'

interface Email {
  id: string
  subject: string | null
  mailbox?: string
  labels?: string[]
  body?: string
}

/** A new store, opened once, with functions to sync it. */
export async function syncPlace(engine: Engine) {
  const { flags, location, remove } = await freshPlace(engine)
  const folder = await mkdtemp(join(tmpdir(), 'footnote-sync-'))
  const { directory } = location
  const url = location.engine === 'postgres' && { 'database-url': location.url }
  const config = readConfig({ 'data-dir': directory, ...url }, {})
  const server = await startOwnServer(config)
  const patience = { connectMs: 60_000, answerMs: 60_000, idleBytes: 2 ** 27 }
  const watch = { found() {}, progress() {} }
  const place = {
    flags,
    directory,
    config,
    server,
    /** Adds an account on loopback as `footnote sync add` does, without connecting to it. */
    async add(port: number, settings: Partial<BodyOf<typeof addSync>> = {}): Promise<Sync> {
      await server.call(registerDeclaration, {}, { json: MAIL })
      const connector = { source_id: MAIL.source.id, display_name: 'Ada' }
      const { connection_id } = await server.call(createConnection, {}, { json: connector })
      const secret = seal(directory, JSON.stringify({ kind: 'password', password: PASSWORD }))
      const address = `imap://${USER}@127.0.0.1:${port}`
      const usual = { name: 'Ada', connection_id, address, security: 'plain' as const, deletes: false }
      return server.call(addSync, {}, { json: { ...usual, every_minutes: 15, secret, ...settings } })
    },
    run: (sync: Pick<Sync, 'sync_id'>, around: Partial<SyncSurroundings> = {}): Promise<SyncCounts> =>
      runSync({ server, directory, stop: new AbortController().signal, watch, patience, ...around }, sync),
    async syncs(): Promise<Sync[]> {
      return (await server.call(listSyncs, {})).data
    },
    /** Imports messages as one mbox file. */
    async importMbox(
      messages: readonly string[],
      connection_id: string,
      from = 'From ada@example.org Mon Jan  1 10:00:00 2024',
    ): Promise<Counts> {
      const path = join(folder, 'all.mbox')
      const quoted = messages.map(text => text.replace(/^(>*From )/gm, '>$1'))
      await writeFile(path, quoted.map(text => `${from}\n${text}\n`).join(''))
      await using source = await openSource(path)
      const target = { connection_id, name: null }
      const plan = await planOf(source, undefined)
      return (await importInto(server, source, plan, target, { begun() {}, progress() {} })).counts
    },
    /** The records, by their subject. */
    async emails(): Promise<Map<string, Email>> {
      const all = new Map<string, Email>()
      let cursor: string | undefined
      do {
        const sent = { query: { limit: 100, cursor } }
        const page = await server.call(listRecords, { stream: 'emails' }, sent)
        for (const record of page.data) {
          const { data: email } = record as unknown as { data: Email }
          all.set(email.subject ?? '', email)
        }
        cursor = page.next_cursor
      } while (cursor !== undefined)
      return all
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
      await remove()
    },
  }
  return place
}

export type SyncPlace = Awaited<ReturnType<typeof syncPlace>>

/** The mailbox and labels of each record, by subject, for comparison with the account. */
export function shownWhere(emails: ReadonlyMap<string, Email>): Record<string, string> {
  const rows = [...emails].map(([subject, { mailbox, labels = [] }]) => {
    return [subject, `${mailbox}: ${labels.join(', ')}`] as const
  })
  return Object.fromEntries(rows.sort(([one], [other]) => (one < other ? -1 : 1)))
}

export function mail(no: number, body = `This is the text of message ${no}.`): string {
  const minute = String(no % 60).padStart(2, '0')
  return [
    `From: Ada Lovelace <ada@example.org>`,
    `To: Charles Babbage <charles@example.org>`,
    `Subject: Letter ${no}`,
    `Date: Mon, 01 Jan 2024 10:${minute}:00 +0000`,
    `Message-ID: <letter-${no}@example.org>`,
    `Content-Type: text/plain; charset=utf-8`,
    '',
    body,
    '',
  ].join('\n')
}
