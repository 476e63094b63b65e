import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Random } from '../../test/random.ts'

/** A message as the comparison ingests it. */
export interface PlainMessage {
  subject: string
  from: string
  body: string
  received_at: string
}

const LONGEST_FILE_CHARS = 4_000_000

/** Messages and documents of a folder, read crudely: the comparison needs real text, not a faithful import. */
export function* messagesIn(folder: string): Generator<PlainMessage> {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
  for (const file of files) {
    if (!/\.(mbox|eml|txt|md|json)$|\/[^./]+$/.test(file)) continue
    const text = readFileSync(file, 'utf8').slice(0, LONGEST_FILE_CHARS).replaceAll('\r\n', '\n')
    if (text.includes('\0')) continue
    const mails = text.split(/^(?=From \S.*\d{4}$)/m)
    if (mails.length > 1 || /^(From|Return-Path|Received|Date|Subject):? /m.test(text.slice(0, 200))) {
      for (const mail of mails) yield mailOf(mail)
    } else if (text.trim() !== '') {
      const body = file.endsWith('.json') ? stringsOf(text) : text
      yield { subject: basename(file), from: '', body, received_at: '2020-01-01T00:00:00Z' }
    }
  }
}

function mailOf(text: string): PlainMessage {
  const end = text.indexOf('\n\n')
  const head = end === -1 ? '' : text.slice(0, end).replace(/\n[ \t]+/g, ' ')
  const header = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1] ?? ''
  const time = Date.parse(header('Date'))
  const year = new Date(time).getUTCFullYear()
  return {
    subject: header('Subject'),
    from: header('From'),
    body: end === -1 ? text : text.slice(end + 2),
    received_at: new Date(year >= 1980 && year < 2100 ? time : 0).toISOString(),
  }
}

function stringsOf(json: string): string {
  try {
    const found: string[] = []
    JSON.parse(json, (_, value) => {
      if (typeof value === 'string') found.push(value)
      return value
    })
    return found.join('\n')
  } catch {
    return json
  }
}

const SCRIPTS: readonly (readonly string[])[] = [
  ['the', 'report', 'meetings', 'budget', 'running', 'invoice-2026', 'v2.0.1', 'bob@example.com', 'naïve'],
  ['Grüße', 'Straße', 'café', 'señor', 'Ærø', 'İstanbul', 'łódź', 'crème', 'Ångström'],
  ['Новые', 'книги', 'городах', 'ёлка', 'отчёт', 'встреча', 'данные', 'письма'],
  ['Ελλάδα', 'λόγος', 'Όμηρος', 'βιβλία', 'ΝΕΡΟΣ', 'θάλασσα'],
  ['كتاب', 'الْكُتُب', 'مدرسة', 'رسالة', 'بيانات', 'تقرير'],
  ['שלום', 'מִכְתָּב', 'ספר', 'דוח', 'פגישה'],
  ['हिन्दी', 'पुस्तक', 'बैठक', 'रिपोर्ट', 'पत्र'],
  ['ภาษาไทย', 'ประชุม', 'รายงาน', 'หนังสือ', 'เอกสาร'],
  ['北京大学', '会议', '预算报告', '我们明天', '数据', '信件'],
  ['東京都', '会議', 'レポート', 'ひらがな', 'カタカナ', '予算'],
  ['한국어', '회의', '보고서', '예산', '편지', '데이터'],
  ['👋🏽', '🎉', '①②', 'ﬁne', '½', 'ＦＵＬＬ', 'k͏ey', '𝒳𝓎'],
]
const UNSPACED = new Set([7, 8, 9])

/** A message of one to three scripts; frequent words come first in each list. */
export function madeMessage(random: Random, n: number): PlainMessage {
  const words = (count: number) => {
    const script = random.integer(0, SCRIPTS.length - 1)
    const list = SCRIPTS[script] ?? []
    const drawn = Array.from(
      { length: count },
      () => list[Math.floor(list.length * random.next() ** 2)] ?? '',
    )
    return drawn.join(UNSPACED.has(script) ? '' : ' ')
  }
  const parts = Array.from({ length: random.integer(1, 3) }, () => words(random.integer(2, 25)))
  const day = new Date(Date.UTC(2015, 0, 1) + random.integer(0, 4_000) * 86_400_000)
  return {
    subject: words(random.integer(1, 4)),
    from: `person-${random.integer(0, 40)}@example.org`,
    body: `${parts.join(random.pick([' ', '. ', '\n', ' — ']))} m${n}`,
    received_at: day.toISOString(),
  }
}
