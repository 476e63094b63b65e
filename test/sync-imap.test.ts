import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listImports } from '../src/api/owner/imports.ts'
import { Dovecot } from './dovecot.ts'
import { onEachEngine } from './engines.ts'
import { recordingProxy, replayingServer, type Transcript } from './imap-transcript.ts'
import { mail, shownWhere, syncPlace } from './sync-place.ts'

const TRANSCRIPT = join(import.meta.dirname, 'fixtures', 'imap', 'account.json')
/** Records the transcript again from an installed Dovecot. */
const RECORDING = process.env.FOOTNOTE_RECORD_IMAP === '1'

const PICTURE = `From: Ada Lovelace <ada@example.org>
Subject: Letter 4
Date: Mon, 01 Jan 2024 10:04:00 +0000
Message-ID: <letter-4@example.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Gr=FC=DFe
--b
Content-Type: text/plain; name="note.txt"
Content-Disposition: attachment; filename="note.txt"

A note about the engine.
--b--
`
const FIRST = [mail(1), mail(2), mail(3, 'From here on\n>From there'), PICTURE]
const ALL = [...FIRST, mail(5), mail(6)]

/** The account and the changes to it between two runs. A replayed transcript already contains the changes. */
interface Account extends AsyncDisposable {
  port: number
  change(work: (dovecot: Dovecot) => Promise<void>): Promise<void>
}

async function account(): Promise<Account> {
  if (!RECORDING) {
    const server = await replayingServer(JSON.parse(readFileSync(TRANSCRIPT, 'utf8')) as Transcript)
    return {
      port: server.port,
      change: async () => {},
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]()
        assert.deepEqual(server.surprises, [])
      },
    }
  }
  const dovecot = await Dovecot.start()
  const proxy = await recordingProxy(dovecot.port)
  return {
    port: proxy.port,
    change: work => work(dovecot),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await dovecot[Symbol.asyncDispose]()
      writeFileSync(TRANSCRIPT, `${JSON.stringify(proxy.transcript, null, 1)}\n`)
    },
  }
}

onEachEngine(
  'an account is synced: new, changed, moved and deleted messages, and renumbered ones',
  async engine => {
    await using server = await account()
    await server.change(async dovecot => {
      await dovecot.deliver('INBOX', FIRST, 'a')
      await dovecot.deliver('Archive', [mail(5)], 'b')
    })
    await using place = await syncPlace(engine)
    const sync = await place.add(server.port, { deletes: true })
    const first = await place.run(sync)
    assert.deepEqual([first.seen, first.added, first.rejected, first.deleted], [5, 5, 0, 0])
    const emails = await place.emails()
    assert.deepEqual(shownWhere(emails), {
      'Letter 1': 'INBOX: Unread',
      'Letter 2': 'INBOX: Unread',
      'Letter 3': 'INBOX: Unread',
      'Letter 4': 'INBOX: Unread',
      'Letter 5': 'Archive: Unread',
    })

    const again = await place.run(sync)
    assert.deepEqual([again.seen, again.added, again.updated], [0, 0, 0])
    // A run that finds nothing creates no import.
    assert.equal((await place.server.call(listImports, {})).data.length, 1)

    await server.change(async dovecot => {
      const client = await dovecot.client()
      await client.mailboxOpen('INBOX')
      await client.messageFlagsAdd('1', ['\\Seen', '\\Flagged', 'travel'], { uid: true })
      await client.messageMove('2', 'Archive', { uid: true })
      await client.messageCopy('4', 'Archive', { uid: true })
      await client.messageDelete('3', { uid: true })
      await client.append('INBOX', mail(6).replaceAll('\n', '\r\n'), ['\\Seen'])
      await client.logout()
    })
    const changed = await place.run(sync)
    assert.deepEqual([changed.added, changed.deleted], [1, 1])
    const after = {
      'Letter 1': 'INBOX: Flagged, travel',
      'Letter 2': 'Archive: Unread',
      'Letter 4': 'INBOX: Unread, Archive',
      'Letter 5': 'Archive: Unread',
      'Letter 6': 'INBOX: ',
    }
    assert.deepEqual(shownWhere(await place.emails()), after)

    await server.change(dovecot => dovecot.renumber('INBOX'))
    const renumbered = await place.run(sync)
    assert.deepEqual([renumbered.added, renumbered.updated, renumbered.deleted], [0, 0, 0])
    assert.deepEqual(shownWhere(await place.emails()), after)
    const [listed] = await place.syncs()
    assert.deepEqual([listed?.messages, listed?.failures, listed?.running], [6, 0, false])

    const imported = await place.importMbox(ALL, sync.connection_id)
    // The deleted letter is added again from the file; all others are the existing records.
    assert.deepEqual([imported.seen, imported.added], [6, 1])
  },
)
