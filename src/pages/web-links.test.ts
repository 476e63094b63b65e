import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markdown } from './markdown.ts'
import { withLinks } from './web-links.ts'

async function linksIn(text: string): Promise<string[]> {
  const shown = String(await withLinks(text))
  assert.equal(shown.replaceAll(/<[^>]+>/g, '').replaceAll('&amp;', '&'), text, 'no character is changed')
  return [...shown.matchAll(/<a href="([^"]+)" rel="noreferrer noopener nofollow">([^<]+)<\/a>/g)].map(
    ([, href, told]) => {
      assert.equal(href, told)
      return String(href).replaceAll('&amp;', '&')
    },
  )
}

test('web addresses in a plain text are links that show where they lead', async () => {
  assert.deepEqual(
    await linksIn('See https://example.org/a?b=1&c=2, (http://example.org/x_(y)) and https://example.net.'),
    ['https://example.org/a?b=1&c=2', 'http://example.org/x_(y)', 'https://example.net'],
  )
  assert.deepEqual(await linksIn('[1]: https://lists.example/5%25b@c.example/ – «https://a.example/ü»'), [
    'https://lists.example/5%25b@c.example/',
    'https://a.example/ü',
  ])
})

test('what may lead elsewhere than it says, is cut off or is no web address is not a link', async () => {
  for (const text of [
    'javascript:alert(1) data:text/html,x file:///etc/passwd ftp://example.org',
    'https://bank.example@evil.example/',
    'https://exam …',
    'https:// http://.',
    'www.example.org',
  ])
    assert.deepEqual(await linksIn(text), [], text)
  assert.deepEqual(await linksIn('https://a.example/\u202eevil'), ['https://a.example/'])
})

test('bare addresses in Markdown are links, whole even if they contain marks, and code is left alone', async () => {
  const made = String(
    await markdown(
      [
        'See https://example.org/_a_b*c*d, **http://example.net/x** and <https://a.example/?b=1&c=2>.',
        '- `https://code.example/` [named](https://named.example/_x_) *soft* _https://b.example/_',
        'https://bank.example@evil.example/ and https://exam …',
      ].join('\n'),
    ),
  )
  assert.deepEqual(
    [...made.matchAll(/<a[^>]* href="([^"]+)"[^>]*>([^<]+)</g)].map(([, href, told]) => [href, told]),
    [
      ['https://example.org/_a_b*c*d', 'https://example.org/_a_b*c*d'],
      ['http://example.net/x', 'http://example.net/x'],
      ['https://a.example/?b=1&amp;c=2', 'https://a.example/?b=1&amp;c=2'],
      ['https://named.example/_x_', 'named'],
      ['https://b.example/', 'https://b.example/'],
    ],
  )
  assert.match(made, /<em>soft<\/em>/)
  assert.match(made, /<strong><a /)
})

test('no text takes long to search for addresses', async () => {
  const before = process.cpuUsage()
  for (const part of ['http://', 'http://(', 'http://.', '(', 'http://a(b'])
    await withLinks(part.repeat(100_000 / part.length))
  for (const part of ['http://', 'http://_', 'http://(', '*http://a'])
    await markdown(part.repeat(8_000 / part.length))
  const { user } = process.cpuUsage(before)
  assert.ok(user < 2_000_000, `${user} µs`)
})
