import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TimeZone } from '../time.ts'
import { timesIn } from './query-dates.ts'

const calendar = { zone: new TimeZone('UTC'), now: new Date('2026-11-16T12:00:00Z') }
const days = (text: string) =>
  timesIn(text, calendar).map(({ since, until }) => `${since.slice(1, 11)} ${until.slice(1, 11)}`)

test('EV-8 dates are recognised in the words of a question', () => {
  for (const text of [
    'on 19 August 2023',
    'August 19th, 2023?',
    'am 19. August 2023',
    '2023-08-19',
    '19.8.2023',
  ])
    assert.deepEqual(days(`what happened ${text}`), ['2023-08-19 2023-08-20'], text)
  assert.deepEqual(days('el 19 de agosto de 2023'), ['2023-08-19 2023-08-20'])
  assert.deepEqual(days('in August 2023'), ['2023-08-01 2023-09-01'])
  assert.deepEqual(days('who came in 2023'), ['2023-01-01 2024-01-01'])
  assert.deepEqual(days('what did I do yesterday'), ['2026-11-15 2026-11-16'])
})

test('EV-8 a month without a year means that of every year, and words that look like months stay words', () => {
  const octobers = days('what did we plan in October')
  assert.deepEqual([octobers[0], octobers.length], ['2026-10-01 2026-11-01', 40])
  assert.equal(days('on 5 October').length, 40)
  assert.deepEqual(days('you may march on'), [])
  assert.deepEqual(days('31 February 2023, room 2023, v1.2.3'), [])
})

test('EV-8 a month of something is a time without a year; names and verbs that look like months are not', () => {
  for (const text of [
    'who suggested the September meetup?',
    'Anna’s september party',
    'a September wedding',
    'next September',
  ])
    assert.deepEqual([days(text)[0], days(text).length], ['2026-09-01 2026-10-01', 40], text)
  assert.equal(days('the May barbecue').length, 40)
  for (const text of [
    'something that may help',
    'the march on the capital',
    'who said that April met June',
    'September newsletter',
  ])
    assert.deepEqual(days(text), [], text)
})

test('EV-8 a season without a year means that of every year, or the last or this one', () => {
  const summers = days('where did we stay in the summer')
  assert.deepEqual([summers[0], summers.length], ['2026-06-01 2026-09-01', 40])
  assert.deepEqual(days('our trip last spring'), ['2026-03-01 2026-06-01'])
  assert.deepEqual(days('Last fall'), ['2025-09-01 2025-12-01'])
  assert.deepEqual(days('this summer'), ['2026-06-01 2026-09-01'])
  for (const text of ['beans in Spring Boot', 'in the fall of Rome', 'they fall in', 'the spring broke'])
    assert.deepEqual(days(text), [], text)
})

test('EV-8 seasons, weeks of a month, weekends and days of the week are recognised', () => {
  assert.deepEqual(days('the summer of 2011'), ['2011-06-01 2011-09-01'])
  assert.deepEqual(days('in fall 2011'), ['2011-09-01 2011-12-01'])
  assert.deepEqual(days('winter 2011'), ['2011-01-01 2012-01-01'])
  assert.deepEqual(days('the last week of March 2016'), ['2016-03-25 2016-04-01'])
  assert.deepEqual(days('first week in Feb 2016'), ['2016-02-01 2016-02-08'])
  // The calendar's day is a Monday.
  assert.deepEqual(days('last weekend'), ['2026-11-14 2026-11-16'])
  assert.deepEqual(days('this weekend'), ['2026-11-21 2026-11-23'])
  assert.deepEqual(days('last Monday'), ['2026-11-09 2026-11-10'])
  assert.deepEqual(days('last Sunday'), ['2026-11-15 2026-11-16'])
})

test('EV-8 dates with slashes are recognised; of 8/5/2023 both days are meant', () => {
  assert.deepEqual(days('on 8/19/2023'), ['2023-08-19 2023-08-20'])
  assert.deepEqual(days('on 19/08/2023'), ['2023-08-19 2023-08-20'])
  assert.deepEqual(days('on 2023/8/19'), ['2023-08-19 2023-08-20'])
  assert.deepEqual(days('on 8/5/2023'), ['2023-05-08 2023-05-09', '2023-08-05 2023-08-06'])
  assert.deepEqual(days('31/31/2023 or 1/2/3'), [])
})

test('EV-8 dates are recognised in other languages and scripts', () => {
  for (const text of [
    ...[
      '3 мая 2024 года',
      '3 maja 2024',
      '3 Μαΐου 2024',
      '3 Mayıs 2024',
      '3 mai 2024',
      '3 مايو 2024',
      '3 मई 2024',
    ],
    ...['2024年5月3日', '2024年5月3号', '2024년 5월 3일', 'ngày 3 tháng 5 năm 2024'],
  ])
    assert.deepEqual(days(`? ${text} ?`), ['2024-05-03 2024-05-04'], text)
  for (const text of [
    'в мае 2024',
    'w maju 2024',
    '2024年5月',
    '2024년 5월에',
    '2024/05',
    'tháng 5 năm 2024',
    'summer, May 2024',
  ])
    assert.deepEqual(days(text), ['2024-05-01 2024-06-01'], text)
  for (const text of ['в мае', 'w maju', 'τον Μάιο', 'Mayıs ayında', 'मई में', 'في مايو', '5月に', '5월에'])
    assert.deepEqual([days(text)[0], days(text).length], ['2026-05-01 2026-06-01', 40], text)
  for (const text of ['early 2024', 'в 2024 году', '2024 yılında', '2024年の旅行', '2024년에'])
    assert.deepEqual(days(text), ['2024-01-01 2025-01-01'], text)
  for (const text of ['gestern', 'вчера', 'dün', 'hôm qua', '昨日の会議', '昨天', '어제는'])
    assert.deepEqual(days(text), ['2026-11-15 2026-11-16'], text)
  for (const text of ['letzte Woche', 'la semana pasada', 'на прошлой неделе', '上周', '지난주에'])
    assert.deepEqual(days(text), days('last week'), text)
  assert.deepEqual(days('letzten Monat'), days('last month'))
  assert.deepEqual(days('l’année dernière'), days('last year'))
  assert.deepEqual(days('3 tháng, 100年, 15月, hier, 2023/24, мартышка, Mart, ekim'), [])
})

test('EV-8 a part of a month means the month', () => {
  for (const text of ['in early May', 'by late May', 'mid-May', 'until May'])
    assert.equal(days(text)[0], '2026-05-01 2026-06-01', text)
})

test('a query that is nothing but dates costs no more than one with a few', () => {
  const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
  const dates = Array.from({ length: 160 }, (_, no) => `${1 + (no % 28)} ${months[no % 12]}`)
  assert.equal(days(dates.join(' ')).length, 8 * 40)
})

test("EV-8 days begin at midnight in the owner's time zone", () => {
  const [day] = timesIn('on 19 August 2023', { ...calendar, zone: new TimeZone('Europe/Berlin') })
  assert.ok(day?.since.startsWith('t2023-08-18T22:00:00'), day?.since)
})
