import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENT_CLASSES } from '../src/cli/tour/tour-classes.ts'
import { footnote, output, placeFlags } from './command-line.ts'
import { TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const LONG = `${'Nothing happened in the valley. '.repeat(1_000)}Suddenly a magnificent thunderstorm rolled over.${' Silence followed.'.repeat(2_000)}`

async function filled() {
  const server = await TestServer.start('sqlite')
  const work = await server.connect(MAILBOX, 'Work mail')
  await server.ingest('messages', work, [message('m1', { subject: 'Story', body: LONG }), message('m2')])
  const flags = placeFlags(server.location)
  return { server, flags, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('CL-1 CL-2 CL-3 CL-4 CL-5 footnote tour reaches the source for every class of client, and says what each step costs', async () => {
  await using place = await filled()
  const json = JSON.parse(await output(['tour', 'magnificent', 'thunderstorm', '--json', ...place.flags]))
  assert.equal(json.query, 'magnificent thunderstorm')
  assert.deepEqual(
    json.classes.map((each: { class: string; reached: boolean }) => [each.class, each.reached]),
    CLIENT_CLASSES.map(({ name }) => [name, true]),
  )
  for (const { class: name, bytes, steps } of json.classes) {
    assert.equal(steps.length, 3, name)
    assert.match(steps[0].call, /^search \{"query":"magnificent thunderstorm"\}$/)
    assert.match(steps[1].call, /^read_record_field \{"id":"cin_\w+\/messages:m1","field_path":"body"/)
    assert.match(
      steps[2].call,
      name === 'resource-aware' ? /^resources\/read pdpp:\/\/field-window\// : /"cursor":/,
    )
    const sizes = steps.map((step: { seen: string }) => Buffer.byteLength(step.seen))
    assert.deepEqual(
      steps.map((step: { bytes: number }) => step.bytes),
      sizes,
    )
    assert.equal(
      bytes,
      sizes.reduce((sum: number, size: number) => sum + size, 0),
    )
    if (name === 'clipping') assert.ok(steps.every((step: { seen: string }) => step.seen.length <= 1_000))
  }

  const grants = (await place.server.json('/v1/owner/grants')).body.data
  assert.deepEqual(
    grants.map((grant: { client_name: string; active: boolean }) => [grant.client_name, grant.active]),
    [['footnote tour', false]],
    'the grant is gone',
  )
})

test('footnote tour picks a query itself, and fits a terminal of 100 columns', async () => {
  await using place = await filled()
  const { code, stdout, stderr } = await footnote(['tour', '--class', 'content-only', ...place.flags], {
    columns: 160,
  })
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^Query: \p{L}+/u)
  assert.match(stdout, /bytes in 3 calls; the passage is read\.\n/)
  assert.deepEqual(
    stdout.split('\n').filter(line => line.length > 100),
    [],
  )
  for (const [args, code] of [
    [['unicorn'], 1],
    [['--class', 'psychic'], 64],
  ] as const) {
    assert.equal((await footnote(['tour', ...args, ...place.flags])).code, code)
  }
  await using empty = await TestServer.start('sqlite')
  const nothing = await footnote(['tour', ...placeFlags(empty.location)])
  assert.deepEqual(
    [nothing.code, nothing.stderr],
    [
      1,
      `Error: There is no text to show yet.\nTry: footnote --data-dir ${empty.location.directory} import PATH\n`,
    ],
  )
})
