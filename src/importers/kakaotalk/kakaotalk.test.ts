import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, formatsOf, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf } from '../../../test/rows-of.ts'

const FIELDS = ['chat', 'sender', 'text', 'sent_at', 'kind'] as const

test('chats are read as computers and phones write them, in Korean and in English', async context => {
  const texts: [name: string, lines: string[]][] = [
    [
      'Korean computer',
      [
        '가나 님과 카카오톡 대화',
        '저장한 날짜 : 2024-03-06 10:00:00',
        '',
        '--------------- 2024년 3월 5일 화요일 ---------------',
        '나라님이 들어왔습니다.',
        '[가나] [오전 12:04] 안녕: [하세요]',
        '두 번째 줄',
        '[나라] [오후 3:04] 네',
        '나라님이 나갔습니다.',
      ],
    ],
    [
      'Korean Android',
      [
        '가나 님과 카카오톡 대화',
        '저장한 날짜 : 2024년 3월 6일 오전 10:00',
        '',
        '2024년 3월 5일 오전 12:00',
        '2024년 3월 5일 오전 12:00, 나라님이 들어왔습니다.',
        '2024년 3월 5일 오전 12:04, 가나 : 안녕: [하세요]',
        '두 번째 줄',
        '2024년 3월 5일 오후 3:04, 나라 : 네',
        '2024년 3월 5일 오후 3:04, 나라님이 나갔습니다.',
      ],
    ],
    [
      'Korean iPhone with 24 hours',
      [
        '가나 님과 카카오톡 대화',
        '저장한 날짜 : 2024. 3. 6. 10:00',
        '',
        '2024년 3월 5일 화요일',
        '2024. 3. 5. 0:00: 나라님이 들어왔습니다.',
        '2024. 3. 5. 0:04, 가나 : 안녕: [하세요]',
        '두 번째 줄',
        '2024. 3. 5. 15:04, 나라 : 네',
        '2024. 3. 5. 15:04: 나라님이 나갔습니다.',
      ],
    ],
  ]
  for (const [name, lines] of texts) {
    const reading = await readingOf(
      'kakaotalk',
      folderWith(context, { 'a.txt': lines.join('\r\n') }),
      'Asia/Seoul',
    )
    assert.deepEqual(
      rowsOf(reading.of('kakaotalk_messages'), ...FIELDS),
      [
        // A computer writes no time there, so it is a day.
        [
          '가나',
          null,
          '나라님이 들어왔습니다.',
          name === 'Korean computer' ? '2024-03-05T00:00:00Z' : '2024-03-04T15:00:00Z',
          'system',
        ],
        ['가나', '가나', '안녕: [하세요]\n두 번째 줄', '2024-03-04T15:04:00Z', 'message'],
        ['가나', '나라', '네', '2024-03-05T06:04:00Z', 'message'],
        ['가나', null, '나라님이 나갔습니다.', '2024-03-05T06:04:00Z', 'system'],
      ],
      name,
    )
  }
  const english = [
    [
      'Ada with KakaoTalk Chats',
      '--------------- Tuesday, March 5, 2024 ---------------',
      '[Ada] [3:04 PM] Hello',
    ],
    ['KakaoTalk Chats with Ada', 'Tuesday, March 5, 2024', 'March 5, 2024 at 3:04 PM, Ada : Hello'],
    ['KakaoTalk Chats with Ada', 'Mar 5, 2024, 3:04 PM, Ada : Hello'],
  ]
  for (const lines of english) {
    const reading = await readingOf('kakaotalk', folderWith(context, { 'a.txt': lines.join('\n') }))
    assert.deepEqual(rowsOf(reading.of('kakaotalk_messages'), ...FIELDS), [
      ['Ada', 'Ada', 'Hello', '2024-03-05T15:04:00Z', 'message'],
    ])
  }
})

test('the table that the Mac writes is a chat, and a file beside a chat is attached', async context => {
  const csv = 'Date,User,Message\n2024-03-05 15:04:10,"Ada","one\ntwo"\n2024-03-05 15:05:00,"Ben","Hi"\n'
  const table = await readingOf(
    'kakaotalk',
    folderWith(context, { 'KakaoTalk_Chat_Tea club_2024-03-06-10-00-00.csv': csv }),
    'Europe/Berlin',
  )
  assert.deepEqual(rowsOf(table.of('kakaotalk_messages'), ...FIELDS), [
    ['Tea club', 'Ada', 'one\ntwo', '2024-03-05T14:04:10Z', 'message'],
    ['Tea club', 'Ben', 'Hi', '2024-03-05T14:05:00Z', 'message'],
  ])
  const lines = [
    'Tea club 3 카카오톡 대화',
    '2024년 3월 5일 오후 3:04, Ada : 1.jpg',
    '2024년 3월 5일 오후 3:05, Ada : 2.jpg',
  ]
  const folder = folderWith(context, { 'chat.txt': lines.join('\n'), '1.jpg': 'JPG' })
  const [first, second] = (await readingOf('kakaotalk', folder)).of('kakaotalk_messages')
  assert.deepEqual([first?.chat, first?.text, first?.attachment_count], ['Tea club', null, 1])
  assert.deepEqual([second?.text, second?.attachment_count], ['2.jpg', 0])
})

test('the same lines give the same ids, and equal messages stay separate', async context => {
  const day = '--------------- 2024년 3월 5일 화요일 ---------------\n'
  const text = `${day}[Ada] [오후 3:04] ㅋㅋ\n[Ada] [오후 3:04] ㅋㅋ\n`
  const idsOf = async (written: string) =>
    (await readingOf('kakaotalk', folderWith(context, { 'a.txt': written }))).records.map(({ key }) => key)
  const ids = await idsOf(text)
  assert.equal(new Set(ids).size, 2)
  assert.deepEqual((await idsOf(`${text}[Ben] [오후 3:05] later\n`)).slice(0, 2), ids)
})

test('a text that only mentions a chat or a date is not one', async context => {
  const files = {
    'a.txt': 'How to save KakaoTalk Chats\nOpen the menu.\n',
    'b.txt': '2024. We met at 10:15, then left.\n',
  }
  assert.deepEqual(await formatsOf(folderWith(context, files)), ['documents'])
})
