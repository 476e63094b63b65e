import type { Random } from '../../test/random.ts'
import type { PlainMessage } from './texts.ts'

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
