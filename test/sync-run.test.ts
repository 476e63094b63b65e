import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { listImports, listRejections } from '../src/api/owner/imports.ts'
import { startOwnServer } from '../src/cli/own-server.ts'
import { startSyncSchedule } from '../src/cli/sync/sync-schedule.ts'
import { PASSWORD } from './dovecot.ts'
import { onEitherEngine } from './engines.ts'
import { FakeImap, type FakeMessage } from './fake-imap.ts'
import { mail, shownWhere, syncPlace } from './sync-place.ts'

function message(no: number, flags: string[] = []): FakeMessage {
  return { uid: no, text: mail(no), flags }
}

async function fake(count: number): Promise<FakeImap> {
  const server = await new FakeImap(PASSWORD).start()
  const messages = Array.from({ length: count }, (_, index) => message(index + 1))
  server.folders.set('INBOX', { validity: 1, messages })
  return server
}

onEitherEngine('a server without extensions is synced by comparing numbers and flags', async engine => {
  await using server = await fake(3)
  await using place = await syncPlace(engine)
  const sync = await place.add(server.port)
  assert.equal((await place.run(sync)).added, 3)
  const inbox = server.folders.get('INBOX')
  assert.ok(inbox)
  inbox.messages = [message(2, ['\\Seen']), message(3), message(4)]
  server.refused.add('Shared')
  server.folders.set('Shared', { validity: 1, messages: [] })
  const second = await place.run(sync)
  assert.deepEqual([second.added, second.updated, second.unchanged, second.rejected], [1, 1, 0, 1])
  // Without --delete a message that is gone keeps its record.
  assert.deepEqual(shownWhere(await place.emails()), {
    'Letter 1': 'INBOX: Unread',
    'Letter 2': 'INBOX: ',
    'Letter 3': 'INBOX: Unread',
    'Letter 4': 'INBOX: Unread',
  })
  const [run] = (await place.server.call(listImports, {})).data
  const refused = await place.server.call(listRejections, { import_id: run?.import_id ?? '' })
  assert.deepEqual(
    refused.data.map(({ place, code }) => [place, code]),
    [['Shared', 'folder_refused']],
  )
  assert.ok(server.said.every(line => !/^(SELECT|UID STORE|APPEND|EXPUNGE|UID MOVE|UID COPY)/.test(line)))
  assert.ok(server.said.filter(line => line.includes('BODY')).every(line => line.includes('BODY.PEEK[]')))
})

test('a message that was imported from an mbox file is the same record, in either order', async () => {
  await using server = await fake(3)
  await using place = await syncPlace('sqlite')
  const sync = await place.add(server.port)
  const texts = [1, 2, 3].map(no => mail(no))
  assert.equal((await place.importMbox(texts, sync.connection_id)).added, 3)
  const run = await place.run(sync)
  assert.deepEqual([run.added, run.updated], [0, 3])
  assert.deepEqual((await place.importMbox(texts, sync.connection_id)).added, 0)
})

test("Gmail: one folder has every message, labels are Gmail's, and records equal those of its export", async () => {
  await using server = await new FakeImap(PASSWORD, 'IMAP4rev1 X-GM-EXT-1 SPECIAL-USE').start()
  const gmail = { msgid: '1785264982365284000', thrid: '1785264982365284001', labels: ['\\Inbox', 'Trips'] }
  const all = { validity: 1, messages: [{ ...message(1, ['\\Seen']), gmail }] }
  server.folders.set('INBOX', all)
  server.folders.set('[Gmail]/All Mail', all)
  await using place = await syncPlace('sqlite')
  const sync = await place.add(server.port)
  assert.equal((await place.run(sync)).added, 1)
  const letter = (await place.emails()).get('Letter 1')
  assert.deepEqual([letter?.labels, letter?.mailbox], [['Inbox', 'Trips'], undefined])
  const takeout = `X-GM-THRID: ${gmail.thrid}\nX-Gmail-Labels: Inbox,Trips\n${mail(1)}`
  const from = `From ${gmail.msgid}@xxx Mon Jan 01 10:00:00 +0000 2024`
  const imported = await place.importMbox([takeout], sync.connection_id, from)
  assert.deepEqual([imported.added, imported.updated, imported.unchanged], [0, 0, 1])
})

test('a large message is read in parts; one that is too large is rejected and not requested again', async () => {
  await using server = await fake(1)
  const inbox = server.folders.get('INBOX')
  const long = 'Many words of an engine\n'.repeat(46_000)
  inbox?.messages.push({ ...message(2), text: mail(2, long) }, { ...message(3), size: 2 ** 30 })
  await using place = await syncPlace('sqlite')
  const sync = await place.add(server.port)
  const first = await place.run(sync)
  assert.deepEqual([first.added, first.rejected], [2, 1])
  assert.equal(server.said.filter(line => /^UID FETCH 2 .*BODY\.PEEK\[\]<\d/.test(line)).length, 2)
  const [run] = (await place.server.call(listImports, {})).data
  const rejected = await place.server.call(listRejections, { import_id: run?.import_id ?? '' })
  assert.equal(rejected.data[0]?.code, 'message_too_large')
  const texts = await place.importMbox([mail(1), mail(2, long)], sync.connection_id)
  assert.equal(texts.added, 0)
  assert.equal((await place.run(sync)).seen, 0)
})

test('a stopped run resumes where it stopped', async () => {
  await using server = await fake(20)
  // A batch of records is stored once it has a million characters.
  for (const each of server.folders.get('INBOX')?.messages ?? [])
    each.text = mail(each.uid, 'An engine of many words\n'.repeat(3_000))
  await using place = await syncPlace('sqlite')
  const sync = await place.add(server.port)
  const stop = new AbortController()
  const progress = (seen: number) => {
    if (seen === 18) stop.abort()
  }
  await assert.rejects(place.run(sync, { stop: stop.signal, watch: { found() {}, progress } }))
  const [stopped] = await place.syncs()
  assert.deepEqual([stopped?.failures, stopped?.running], [0, false])
  const rest = await place.run(sync)
  assert.ok(rest.seen < 15, `${rest.seen}`)
  assert.equal((await place.emails()).size, 20)
  // Both runs are one import, which was resumed.
  const [run, ...others] = (await place.server.call(listImports, {})).data
  assert.deepEqual([run?.added, run?.state, others.length], [20, 'finished', 0])
})

onEitherEngine('the schedules of two servers run what is due once, and store errors', async engine => {
  await using server = await fake(2)
  await using place = await syncPlace(engine)
  await using second = await startOwnServer(place.config)
  const sync = await place.add(server.port)
  const failures: unknown[] = []
  const options = { server: place.server, directory: place.directory, lookMs: 5 }
  const report = (error: unknown) => failures.push(error)
  const settled = async (isDone: () => Promise<boolean>) => {
    while (!(await isDone())) await sleep(5)
  }
  {
    await using _one = startSyncSchedule({ ...options, report })
    await using _two = startSyncSchedule({ ...options, server: second, report })
    await settled(async () => (await place.syncs())[0]?.last_run !== null)
  }
  assert.equal((await place.emails()).size, 2)
  assert.equal(server.said.filter(line => line.startsWith('LOGIN')).length, 1)
  server.password = 'another'
  const due = await place.add(server.port, { name: 'Other', connection_id: sync.connection_id })
  {
    await using _ = startSyncSchedule({ ...options, report })
    await settled(async () => (await place.syncs()).some(({ last_error }) => last_error !== null))
  }
  const other = (await place.syncs()).find(({ sync_id }) => sync_id === due.sync_id)
  assert.deepEqual([other?.last_error?.code, other?.failures], ['mail_sign_in_refused', 1])
  assert.deepEqual(failures, [])
})

test('stopping a schedule ends its current run', async () => {
  await using server = await fake(2)
  await using place = await syncPlace('sqlite')
  await place.add(server.port)
  const heard = new EventTarget()
  server.interfere = command => {
    if (command.startsWith('EXAMINE')) heard.dispatchEvent(new Event('examined'))
    return false
  }
  const examined = once(heard, 'examined')
  const schedule = startSyncSchedule({
    ...{ server: place.server, directory: place.directory, lookMs: 5 },
    report: error => assert.fail(String(error)),
  })
  await examined
  await schedule[Symbol.asyncDispose]()
  assert.equal((await place.syncs())[0]?.running, false)
})
