import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listImports } from '../src/api/owner/imports.ts'
import type { Sync } from '../src/api/owner/syncs.ts'
import { Dovecot, hasDovecot, installDovecot } from './dovecot.ts'
import { count, onOneEngine, PROVING } from './engines.ts'
import { record } from './figures.ts'
import { mail, type SyncPlace, shownWhere, syncPlace } from './sync-place.ts'

const MAIN = join(import.meta.dirname, '../src/cli/main.ts')
const ALL = count(60, 10_000)
const FLAGS: Record<string, string> = { '\\Flagged': 'Flagged', '\\Answered': 'Answered' }

const bodyOf = (no: number) => `Letter ${no} tells of the engine.\nFrom there on it has ${no * 7} wheels.`

/** The mailbox and labels of each message, as reported by the server. */
async function mailbox(dovecot: Dovecot): Promise<Record<string, string>> {
  const client = await dovecot.client()
  const found = new Map<string, { folders: Set<string>; labels: Set<string> }>()
  for (const { path } of await client.list()) {
    const { exists } = await client.mailboxOpen(path, { readOnly: true })
    if (exists === 0) continue
    for (const { envelope, flags = new Set<string>() } of await client.fetchAll('1:*', {
      envelope: true,
      flags: true,
    })) {
      const subject = envelope?.subject ?? ''
      const at = found.get(subject) ?? { folders: new Set(), labels: new Set() }
      at.folders.add(path)
      if (!flags.has('\\Seen')) at.labels.add('Unread')
      for (const flag of flags) if (!flag.startsWith('\\') || FLAGS[flag]) at.labels.add(FLAGS[flag] ?? flag)
      found.set(subject, at)
    }
  }
  await client.logout()
  const rows = [...found].map(([subject, { folders, labels }]) => {
    const [first, ...others] = [...folders].sort((a, b) =>
      a === 'INBOX' ? -1 : b === 'INBOX' ? 1 : a < b ? -1 : 1,
    )
    return [subject, `${first}: ${[...[...labels].sort(), ...others].join(', ')}`] as const
  })
  return Object.fromEntries(rows.sort(([one], [other]) => (one < other ? -1 : 1)))
}

async function assertSame(place: SyncPlace, dovecot: Dovecot, what: string): Promise<void> {
  const emails = await place.emails()
  assert.deepEqual(shownWhere(emails), await mailbox(dovecot), what)
  for (const [subject, { body }] of emails) assert.equal(body, bodyOf(Number(subject.slice(7))), subject)
}

/** Runs the sync in its own process and kills it once this many messages are stored. */
async function killedRun(place: SyncPlace, { name }: Sync, stored: number): Promise<void> {
  const child = spawn(process.execPath, [MAIN, 'sync', 'run', name, ...place.flags], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  for (let seen = 0; seen < stored; ) {
    assert.equal(child.exitCode, null, 'it ended before it was killed')
    await sleep(20)
    seen = (await place.server.call(listImports, {})).data[0]?.seen ?? 0
  }
  child.kill('SIGKILL')
  await ended
}

if (hasDovecot || PROVING) {
  onOneEngine('the store equals the mailbox of a real server, whatever happens to either', async engine => {
    await installDovecot()
    await using dovecot = await Dovecot.start()
    const texts = Array.from({ length: ALL }, (_, index) => mail(index + 1, bodyOf(index + 1)))
    await dovecot.deliver('INBOX', texts.slice(0, ALL * 0.8), 'a')
    await dovecot.deliver('Archive', texts.slice(ALL * 0.8, ALL * 0.95), 'b')
    await dovecot.deliver('Sent', texts.slice(ALL * 0.95), 'c')
    await using place = await syncPlace(engine)
    const sync = await place.add(dovecot.port, { deletes: true })

    if (PROVING) {
      await killedRun(place, sync, ALL * 0.2)
      await killedRun(place, sync, ALL * 0.6)
    }
    const rest = await place.run(sync)
    if (PROVING) assert.ok(rest.seen < ALL * 0.6, `${rest.seen} were read again`)
    assert.equal(Object.keys(await mailbox(dovecot)).length, ALL)
    await assertSame(place, dovecot, 'after the first sync')

    const client = await dovecot.client()
    await client.mailboxOpen('INBOX')
    const tenth = ALL / 10
    await client.messageFlagsAdd(`1:${tenth}`, ['\\Seen'], { uid: true })
    await client.messageFlagsAdd(`${tenth / 2}:${tenth}`, ['\\Flagged', 'travel'], { uid: true })
    await client.messageMove(`${tenth + 1}:${tenth * 2}`, 'Archive', { uid: true })
    await client.messageDelete(`${tenth * 2 + 1}:${tenth * 3}`, { uid: true })
    await client.messageCopy(`${tenth * 3 + 1}:${tenth * 4}`, 'Sent', { uid: true })
    await client.mailboxRename('Sent', 'Posted')
    await client.logout()
    await dovecot.deliver('INBOX', [mail(ALL + 1, bodyOf(ALL + 1))], 'd')
    const changed = await place.run(sync)
    assert.deepEqual([changed.added, changed.deleted, changed.rejected], [1, tenth, 0])
    await assertSame(place, dovecot, 'after changes')

    await dovecot.renumber('INBOX')
    const renumbered = await place.run(sync)
    assert.deepEqual([renumbered.added, renumbered.updated, renumbered.deleted], [0, 0, 0])
    assert.ok(renumbered.unchanged >= ALL / 2)
    await assertSame(place, dovecot, 'after other numbers')

    assert.equal((await place.run(sync)).seen, 0)
    const file = await place.importMbox(texts, sync.connection_id)
    assert.deepEqual([file.added, file.rejected], [tenth, 0])
    const counts = { messages: ALL, kills: PROVING ? 2 : 0, moved: tenth, deleted: tenth, differ: 0 }
    record('a mailbox is synced', engine, counts)
  })
}
