import assert from 'node:assert/strict'
import { test } from 'node:test'
import { optionsIn } from './command.ts'

test('the flags of a command are those that its usage names', () => {
  const usage =
    'footnote sync ADDRESS --name NAME [--person NAME]… [--order asc|desc]\n' +
    '  [--stdio [--cache-root DIR]] [--password-file FILE | --oauth-file FILE] [--json]\n' +
    '  with --stdio or --json, also [--fields a,b]\n\n--every is explained here.'
  const options = optionsIn(usage)
  const kinds = Object.entries(options).map(
    ([name, { type, multiple }]) => `${name} ${type}${multiple ? '…' : ''}`,
  )
  assert.deepEqual(kinds, [
    'name string',
    'person string…',
    'order string',
    'stdio boolean',
    'cache-root string',
    'password-file string',
    'oauth-file string',
    'json boolean',
    'fields string',
  ])
})
