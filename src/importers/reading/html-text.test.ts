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
