import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, formatsOf, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf } from '../../../test/rows-of.ts'

test('chats of Skype are read with marked text, quotes, calls and files', async context => {
  const said = (id: string, messagetype: string, content: string, more = {}) => ({
    ...{ id, displayName: null, originalarrivaltime: `2025-01-13T20:05:0${id}.123Z`, messagetype, content },
    ...{ from: '8:ben.b', properties: null, amsreferences: null, ...more },
  })
  const quote =
    '<quote authorname="Ada"><legacyquote>[1] Ada: </legacyquote>Hi<legacyquote>&lt;&lt;</legacyquote></quote>Yes'
  const picture = '<URIObject type="Picture.1" uri="https://x"><OriginalName v="loaf.jpg"/></URIObject>'
  const folder = folderWith(context, {
    'messages.json': {
      userId: '8:ada',
      exportDate: '2025-04-01T10:00',
      conversations: [
        {
          id: '8:ben.b',
          displayName: 'Ben Baker',
          threadProperties: null,
          MessageList: [
            said('5', 'RichText', 'Rye <b>bread</b> &amp; salt\ntwo <ss type="smile">:)</ss>'),
            said('4', 'RichText/UriObject', picture, { amsreferences: ['0-weu-d1-abc'] }),
            said('3', 'Event/Call', '<partlist type="ended"><part identity="8:ada"/></partlist>'),
            said('2', 'RichText', quote),
            said('1', 'Text', 'Hi <3', { from: '8:ada' }),
          ],
        },
        {
          id: '19:x@thread.skype',
          displayName: 'Bakers',
          MessageList: [said('1', 'ThreadActivity/AddMember', '<addmember/>', { from: '19:x@thread.skype' })],
        },
      ],
    },
    'endpoints.json': { endpoints: [] },
    'media/0-weu-d1-abc.1.jpg': 'JPG',
    'media/0-weu-d1-abc.json': { filename: 'loaf.jpg' },
  })
  assert.deepEqual(await formatsOf(folder), ['skype'])
  const { of, blobs, finding } = await readingOf('skype', folder)
  assert.deepEqual(rowsOf(of('skype_messages'), 'chat', 'sender', 'text', 'kind'), [
    ['Ben Baker', 'Ben Baker', 'Rye bread & salt\ntwo :)', 'message'],
    ['Ben Baker', 'Ben Baker', null, 'message'],
    ['Ben Baker', 'Ben Baker', null, 'call'],
    ['Ben Baker', 'Ben Baker', 'Hi\nYes', 'message'],
    ['Ben Baker', 'ada', 'Hi <3', 'message'],
    ['Bakers', null, null, 'system'],
  ])
  assert.equal(of('skype_messages')[0]?.sent_at, '2025-01-13T20:05:05.123Z')
  assert.equal(blobs[0]?.content.toString(), 'JPG')
  assert.equal(finding.account, '8:ada')
})
