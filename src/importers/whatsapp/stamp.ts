/** The date and time before a message, as written, and the rest of the line. */
export interface Stamp {
  /** Without brackets and text direction marks. */
  written: string
  day: [string, string, string]
  hour: number
  minute: number
  second: number
  rest: string
}

const MARKS = '[\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufeff]*'
const D = '\\p{Nd}'
const BETWEEN = `${MARKS}\\s?`
const DATE = `(?<first>${D}{1,4})${BETWEEN}[./년年-]${BETWEEN}(?<middle>${D}{1,2})${BETWEEN}[./월月-]${BETWEEN}(?<last>${D}{1,4})[일日]?\\.?(?:\\s?г\\.)?`
const TIME = `(?<hour>${D}{1,2})(?:[:.]|\\sh\\s)(?<minute>${D}{2})(?:[:.](?<second>${D}{2}))?`
const HALF = '(?<half>[^\\p{Nd}\\[\\]:–-]{0,14}?)'
const DATE_FIRST = `${DATE}(?<before>[^\\p{Nd}\\[\\]<>]{0,16}?)${TIME}${HALF}`
const FORMS = [
  /** `[31.12.20, 22:05:09] Ada: …` */
  `\\[${MARKS}${DATE_FIRST}\\]\\s?`,
  /** `12/31/20, 10:05 PM - Ada: …` */
  `${DATE_FIRST}\\s[-–]\\s`,
  /** `31.12.20, 22:05:09: Ada: …`, as older iPhones wrote it. */
  `${DATE}[,،]\\s(?<hour>${D}{1,2})[:.](?<minute>${D}{2})[:.](?<second>${D}{2})${HALF}:\\s`,
  /** `[22:05, 31/12/2020] Ada: …`, as the web version copies it, and `22:05, 31/12/2020 - Ada: …` in Vietnamese. */
  `\\[?${MARKS}${TIME}${HALF},\\s?${DATE}(?:\\]\\s?|\\s[-–]\\s)`,
].map(form => new RegExp(`^${MARKS}${form}${MARKS}`, 'u'))

const AFTERNOON = new Set(
  `pm p nachm 下午 晚上 傍晚 中午 午後 오후 م مساء بظ بعدازظهر μμ ös du em nm ip ch ptg अपराह्न সায়াহ্ন பிற்பகல் md pasdites ከሰዓት ညနေ odp ym in тк ຫຼັງທ່ຽງ pēcp popiet попл පව pop пп tk eh үх ល្ងាច`.split(
    ' ',
  ),
)
const MORNING = new Set(
  `am a vorm 上午 凌晨 清晨 早上 午前 오전 ص صباحا قظ قبلازظهر πμ öö de fm vm ap sa pg पूर्वाह्न முற்பகல் pd paradites ጥዋት နံနက် dop sf rn тң ກ່ອນທ່ຽງ priekšp priešpiet претпл පෙව дп to fh үө ព្រឹក`.split(
    ' ',
  ),
)

/** The stamp at the start of a line; null if there is none. */
export function stampOf(line: string): Stamp | null {
  const start = line.slice(0, 90)
  for (const form of FORMS) {
    const found = form.exec(start)
    if (found?.groups) return stamp(found[0], found.groups, line.slice(found[0].length))
  }
  return null
}

function stamp(written: string, found: Record<string, string | undefined>, rest: string): Stamp | null {
  const part = (name: string) => digits(found[name] ?? '')
  const day: Stamp['day'] = [part('first'), part('middle'), part('last')]
  const [a, , c] = day
  if (a.length === 3 || c.length === 3 || (a.length === 4 && c.length > 2)) return null
  const [time, minute, second] = [Number(part('hour')), Number(part('minute')), Number(part('second'))]
  if (time > 23 || minute > 59 || second > 59) return null
  const half = halfIn(`${found.before ?? ''} ${found.half ?? ''}`)
  const hour = half !== null && time <= 12 ? (time % 12) + (half === 'pm' ? 12 : 0) : time
  const plain = written.replace(new RegExp(MARKS, 'gu'), '').replace(/^\[|\][\s]*$|\s[-–]\s*$|:\s*$/g, '')
  return { written: plain.replace(/\s+/g, ' '), day, hour, minute, second, rest }
}

/** Whether the words around a time mean AM or PM, in many languages. */
export function halfIn(words: string): 'am' | 'pm' | null {
  for (const word of words
    .toLowerCase()
    .replace(/ч\.\s?/g, '')
    .replace(/[.\u064b]\s?/g, '')
    .split(/[\s,،]+/u)) {
    if (AFTERNOON.has(word)) return 'pm'
    if (MORNING.has(word)) return 'am'
  }
  return null
}

const ZEROS = [0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50]

/** Converts digits of other scripts to 0 to 9. */
function digits(text: string): string {
  return text.replace(/[^0-9]/gu, digit => {
    const code = digit.codePointAt(0) ?? 0
    const zero = ZEROS.find(candidate => code >= candidate && code < candidate + 10)
    return zero === undefined ? digit : String(code - zero)
  })
}
