import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOfHtml } from './html-text.ts'

test('an item of a list begins beside its bullet, also if it is a paragraph, and an empty one leaves nothing', () => {
  assert.equal(textOfHtml('<ul><li>a<li>b</ul>c'), '• a\n• b\n\nc')
  assert.equal(textOfHtml('<ul><li><div>a</div></li><li><div>b</div></li></ul>'), '• a\n• b')
  assert.equal(textOfHtml('<ul><li><p>a</p><p>more</p></li><li><p>b</p></li></ul>'), '• a\n\nmore\n\n• b')
  assert.equal(textOfHtml('<ul><li></li><li> <br>a</li><li></li></ul>b'), '•\na\n\nb')
  assert.equal(textOfHtml('<ul><li><ul><li>inner</li></ul></li></ul>'), '• inner')
  assert.equal(textOfHtml('<li><a href="https://example.org">here</a></li>'), '• here <https://example.org>')
})

test('the items of a numbered list have their numbers', () => {
  assert.equal(textOfHtml('<ol><li>a<li>b</ol><ul><li>c</ul>'), '1. a\n2. b\n\n• c')
  assert.equal(textOfHtml('<ol start="3"><li>a<ul><li>x</ul><li>b</ol><li>c'), '3. a\n\n• x\n\n4. b\n\n• c')
  assert.equal(textOfHtml('</ol><ol start=x><li>a<ol><li>b</ol></ol></ol>d'), '1. a\n\n1. b\n\nd')
})

test('what a mail quotes is marked, and an indented text is not', () => {
  const quoted = (around: string) =>
    `<p>Yes.</p><${around}><p>Shall<br>we?</p><p>Ada</p></blockquote><p>Ben</p>`
  for (const sign of ['type="cite"', 'TYPE=Cite', 'class="gmail_quote" style="margin:0"'])
    assert.equal(textOfHtml(quoted(`blockquote ${sign}`)), 'Yes.\n\n> Shall\n> we?\n\n> Ada\n\nBen')
  assert.equal(textOfHtml(quoted('blockquote')), 'Yes.\n\nShall\nwe?\n\nAda\n\nBen')
  const cite = '<blockquote type=cite>'
  assert.equal(
    textOfHtml(`${cite}a${cite}b</blockquote>c</blockquote></blockquote>d`),
    '> a\n\n> > b\n\n> c\n\nd',
  )
  assert.match(textOfHtml(`${cite.repeat(50_000)}deep`), /^(> ){8}deep$/)
})

test('what a person does not see is left out, up to its end', () => {
  for (const sign of [
    'style="display:none"',
    'style="color:red;DISPLAY : none !important"',
    'hidden',
    'style=visibility:hidden',
  ])
    assert.equal(textOfHtml(`<div ${sign}>no<div>no</div><p>no<br>no<img alt=no></div>yes`), 'yes', sign)
  assert.equal(textOfHtml('<img hidden alt=no><input type="hidden" value="no">yes'), 'yes')
  assert.equal(textOfHtml('<div style="display:none;display:block">yes</div>'), 'yes')
  assert.equal(textOfHtml('<p hidden>no<p>yes'), 'yes')
  assert.equal(textOfHtml('<div>a<span hidden>no</div>yes'), 'a\nyes', 'the end of an element around it')
  assert.equal(textOfHtml('<ul hidden><li>no</ul><ol><li>yes</ol>'), '1. yes')
  assert.equal(
    textOfHtml('<body style="display:none"><p>all</p></body>'),
    'all',
    'not everything can be hidden',
  )
})
