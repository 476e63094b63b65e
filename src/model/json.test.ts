import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from './json.ts'

const LARGE = [
  '9007199254740993',
  '-9007199254740993',
  '1e400',
  '-1E400',
  '1.5e+400',
  '12345678901234567890.0',
]
const AROUND = [
  (n: string) => n,
  (n: string) => ` ${n} `,
  (n: string) => `[${n}]`,
  (n: string) => `[1,${n}]`,
  (n: string) => `{"a":${n}}`,
  (n: string) => `{"a":\n\t${n}\r\n}`,
  (n: string) => `{"a" :${n},"b"\n: ${n}}`,
  (n: string) => `{"id":"0mwjc21yc00005e2b61c4","a":[{"b":${n}}]}`,
  (n: string) => `{"digest":"sha256:9e1","a":${n}}`,
]

test('a number that a double cannot represent is preserved digit for digit, wherever it is', () => {
  for (const around of AROUND)
    for (const number of LARGE) {
      const text = around(number)
      assert.equal(JSON.stringify(parseJson(text)), text.replace(/[\n\t\r ]/g, ''), text)
    }
})

test('every other number is a plain number, even beside text that looks like a large one', () => {
  for (const around of AROUND)
    for (const number of ['0', '-0.5', '1e3', '2.5E-3', '9007199254740991', '0.12345678901234567890'])
      assert.deepEqual(parseJson(around(number)), JSON.parse(around(number)))
  const text = '{"id":"5e2b61c4","n":": 12345678901234567890","m":7}'
  assert.deepEqual(parseJson(text), JSON.parse(text))
})
