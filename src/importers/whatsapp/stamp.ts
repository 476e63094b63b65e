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
const NUMBER = `(${D}{1,4})${MARKS}\\s?`
const DATE = `${NUMBER}[./년年-]${MARKS}\\s?(${D}{1,2})${MARKS}\\s?[./월月-]${MARKS}\\s?(${D}{1,4})[일日]?\\.?(?:\\s?г\\.)?`
const TIME = `(${D}{1,2})(?:[:.]|\\sh\\s)(${D}{2})(?:[:.](${D}{2}))?`
const BEFORE_TIME = `([^${'\\p{Nd}'}\\[\\]<>]{0,16}?)`
const HALF = '([^\\p{Nd}\\[\\]:–-]{0,14}?)'
const DATE_FIRST = `${DATE}${BEFORE_TIME}${TIME}${HALF}`
/** `[31.12.20, 22:05:09] Ada: …` */
const BRACKETS = new RegExp(`^${MARKS}\\[${MARKS}${DATE_FIRST}\\]\\s?${MARKS}`, 'u')
/** `12/31/20, 10:05 PM - Ada: …` */
const DASH = new RegExp(`^${MARKS}${DATE_FIRST}\\s[-–]\\s${MARKS}`, 'u')
/** `31.12.20, 22:05:09: Ada: …`, as older iPhones wrote it. */
const COLON = new RegExp(
  `^${MARKS}${DATE}([,،]\\s)(${D}{1,2})[:.](${D}{2})[:.](${D}{2})${HALF}:\\s${MARKS}`,
  'u',
)
/** `[22:05, 31/12/2020] Ada: …`, as the web version copies it, and `22:05, 31/12/2020 - Ada: …` in Vietnamese. */
const TIME_FIRST = new RegExp(
  `^${MARKS}\\[?${MARKS}${TIME}${HALF},\\s?${DATE}(?:\\]\\s?|\\s[-–]\\s)${MARKS}`,
  'u',
)

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
  const found = BRACKETS.exec(start) ?? DASH.exec(start) ?? COLON.exec(start)
  if (found) {
    const [written, a = '', b = '', c = '', before = '', hour = '', minute = '', second, half = ''] = found
    return stamp(line, written, [a, b, c], hour, minute, second, `${before} ${half}`)
  }
  const copied = TIME_FIRST.exec(start)
  if (!copied) return null
  const [written, hour = '', minute = '', second, half = '', a = '', b = '', c = ''] = copied
  return stamp(line, written, [a, b, c], hour, minute, second, half)
}

function stamp(
  line: string,
  written: string,
  day: [string, string, string],
  hour: string,
  minute: string,
  second: string | undefined,
  words: string,
): Stamp | null {
  const [a, b, c] = day.map(digits) as [string, string, string]
  if (a.length === 3 || c.length === 3 || (a.length === 4 && c.length > 2)) return null
  const time = [hour, minute, second ?? '0'].map(digits).map(Number) as [number, number, number]
  if (time[0] > 23 || time[1] > 59 || time[2] > 59) return null
  const half = halfIn(words)
  if (half !== null && time[0] <= 12) time[0] = (time[0] % 12) + (half === 'pm' ? 12 : 0)
  const plain = written.replace(new RegExp(MARKS, 'gu'), '').replace(/^\[|\][\s]*$|\s[-–]\s*$|:\s*$/g, '')
  return {
    written: plain.replace(/\s+/g, ' '),
    day: [a, b, c],
    hour: time[0],
    minute: time[1],
    second: time[2],
    rest: line.slice(written.length),
  }
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
