import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { hiddenLine, type Keyboard } from '../src/cli/sync/sync-secret.ts'
import { footnote, freshPlace } from './command-line.ts'
import { FakeImap } from './fake-imap.ts'
import { mail } from './sync-place.ts'

test('a typed password is not shown; if nobody can type, the hint says what to do', async () => {
  const typed = async (keys: string, isTTY = true) => {
    const shown: string[] = []
    const raw: boolean[] = []
    const stdin = Object.assign(new PassThrough(), {
      isTTY,
      setRawMode(on: boolean) {
        raw.push(on)
        return stdin
      },
    })
    stdin.write(keys)
    const stderr = { write: (text: string) => shown.push(text) > 0 }
    const line = await hiddenLine('Password: ', 'a hint', { stdin, stderr } as unknown as Keyboard)
    assert.deepEqual([shown.join(''), raw], ['Password: \n', [true, false]])
    return line
  }
  assert.equal(await typed('hux\u007fsh\r'), 'hush')
  assert.equal(await typed('ö \u{1f40e}\n'), 'ö \u{1f40e}')
  await assert.rejects(typed('hu\u0003'), { exitCode: 130 })
  await assert.rejects(typed('', false), { hint: 'a hint' })
})

const PASSWORD = 'correct_horse_battery'

test('sync add, run, list and remove: what they print, and never the password', async () => {
  await using server = await new FakeImap(PASSWORD).start()
  server.folders.set('INBOX', {
    validity: 1,
    messages: [1, 2].map(uid => ({ uid, text: mail(uid), flags: [] })),
  })
  const { flags, location, remove } = await freshPlace('sqlite')
  const folder = await mkdtemp(join(tmpdir(), 'footnote-sync-'))
  const said: string[] = []
  const call = async (args: string[], env: NodeJS.ProcessEnv = {}) => {
    const outcome = await footnote([...args, ...flags], { env })
    said.push(outcome.stdout, outcome.stderr)
    return outcome
  }
  const address = `imap://ada@127.0.0.1:${server.port}`
  try {
    const untold = await call(['sync', 'add', address])
    assert.deepEqual([untold.code, /--password-file/.test(untold.stderr)], [64, true])
    const wrong = await call(['sync', 'add', address], { FOOTNOTE_SYNC_PASSWORD: 'wrong' })
    assert.deepEqual([wrong.code, /Invalid credentials/.test(wrong.stderr)], [1, true])
    const inside = await call(['sync', 'add', address.replace('ada@', `ada:${PASSWORD}@`)])
    assert.deepEqual([inside.code, /password/.test(inside.stderr)], [64, true])
    assert.match((await call(['sync', 'list'])).stderr, /No account is kept in sync/)
    assert.equal((await call(['sync', 'run'])).code, 1)

    const file = join(folder, 'password')
    await writeFile(file, `${PASSWORD}\n`)
    const added = await call(['sync', 'add', address, '--password-file', file, '--every', '60', '--json'])
    assert.equal(added.code, 0, added.stderr)
    const sync = JSON.parse(added.stdout)
    assert.deepEqual([sync.name, sync.every_minutes, sync.security], ['ada@127.0.0.1', 60, 'plain'])
    const twice = await call(['sync', 'add', address, '--password-file', file])
    assert.deepEqual([twice.code, /named ada@127.0.0.1 is already/.test(twice.stderr)], [1, true])
    const connections = async () => JSON.parse((await call(['connections', '--json'])).stdout).data.length
    assert.equal(await connections(), 1, 'a refused account leaves no connection')

    const run = await call(['sync', 'run', 'ada@127.0.0.1', '--json'])
    assert.deepEqual(JSON.parse(run.stdout), {
      ...{ sync_id: sync.sync_id, name: sync.name, connection_id: sync.connection_id },
      ...{ seen: 2, added: 2, updated: 0, unchanged: 0, rejected: 0, deleted: 0, error: null },
    })
    server.password = 'changed'
    const failed = await call(['sync', 'run'])
    assert.deepEqual([failed.code, /refused the sign-in of ada/.test(failed.stderr)], [1, true])
    const listed = await call(['sync', 'list'])
    assert.match(
      listed.stdout,
      /2 messages\n {2}last run: .*\n {2}failed: mail_sign_in_refused: .*\n {2}next run: /,
    )

    assert.equal((await call(['sync', 'remove', 'ada@127.0.0.1'])).code, 64)
    const removed = await call(['sync', 'remove', 'ada@127.0.0.1', '--yes'])
    assert.deepEqual([removed.code, removed.stdout], [0, `${sync.sync_id}  removed\n`])
    assert.deepEqual(JSON.parse((await call(['sync', 'list', '--json'])).stdout).data, [])
    assert.equal((await call(['sync', 'add', address], { FOOTNOTE_SYNC_PASSWORD: server.password })).code, 0)
    const again = JSON.parse((await call(['sync', 'run', '--json'])).stdout)
    assert.deepEqual([again.connection_id, again.added, again.unchanged], [sync.connection_id, 0, 2])
    assert.equal(await connections(), 1, 'an account that is added again uses its old connection')

    assert.equal(said.join('').includes(PASSWORD), false)
    const stored = await readFile(join(location.directory, 'footnote.sqlite'), 'latin1')
    assert.equal(stored.includes(PASSWORD), false)
  } finally {
    await rm(folder, { recursive: true, force: true })
    await remove()
  }
})
