import type { Begin, Beginning } from '../chat/written-chat.ts'
import type { WallClock } from '../times.ts'
import { halfIn } from '../whatsapp/stamp.ts'
import { parseWrittenTime } from '../written-time.ts'

const DAY = '(?<year>\\d{4})[년.]\\s?(?<month>\\d{1,2})[월.]\\s?(?<day>\\d{1,2})[일.]?'
const CLOCK =
  '(?:(?<half>\\p{L}[\\p{L}.]{0,5})\\s?)?(?<hour>\\d{1,2}):(?<minute>\\d{2})(?:\\s?(?<after>[ap]\\.?m\\.?))?'
const ENGLISH = '\\p{Lu}\\p{L}{2,8}\\s\\d{1,2},\\s\\d{4}'
/** `2024년 3월 5일 화요일`, `Tuesday, March 5, 2024`, on a computer between dashes. */
const HEADING = new RegExp(
  `^(?:-{3,}\\s)?(?:${DAY}\\s\\p{L}+|\\p{L}+,\\s(?<english>${ENGLISH}))(?:\\s-{3,})?$`,
  'u',
)
/** On a computer: `[Ada] [오후 3:04] text` below a day. */
const BELOW_DAY = new RegExp(`^\\[(?<sender>.{1,100}?)\\] \\[${CLOCK}\\] ?(?<said>.*)$`, 'iu')
/** On a phone: `2024년 3월 5일 오후 3:04, Ada : text`, `March 5, 2024 at 3:04 PM, Ada : text`; a colon if nobody speaks. */
const WITH_DAY = new RegExp(
  `^(?<stamp>(?:${DAY}|(?<english>${ENGLISH})(?:,| at)?)\\s${CLOCK})(?:[,:]\\s(?<rest>.*))?$`,
  'iu',
)
const SPOKEN = /^(.{1,100}?) : ?(.*)$/su
/** What the program itself writes has no time on a computer. */
const NOTICE =
  /^.{1,200}(?:님이 (?:들어왔습니다|나갔습니다)|님을 (?:초대했습니다|내보냈습니다)|(?:joined|left) this chatroom|to this chatroom)\.?$/u

/** Reads the lines of a chat in order: some have the day of a line above. */
export function kakaoTalkLines(): Begin {
  let day: { year: number; month: number; day: number } | null = null
  let last: Beginning | null = null
  const remembered = (begun: Beginning) => {
    last = begun
    return begun
  }
  return line => {
    const heading = HEADING.exec(line)?.groups
    if (heading) {
      day = dayOf(heading)
      last = day && { stamp: Object.values(day).join('.'), clock: day, sender: null, said: '' }
      return day === null ? null : 'aside'
    }
    const below = day && BELOW_DAY.exec(line)?.groups
    if (day && below) {
      const clock = clockOf(day, below)
      const stamp = `${Object.values(day).join('.')} ${clock.hour}:${clock.minute}`
      return remembered({ stamp, clock, sender: below.sender ?? null, said: below.said ?? '' })
    }
    const found = WITH_DAY.exec(line)?.groups
    const own = found && dayOf(found)
    if (own) {
      const { stamp = '', rest } = found
      // A phone writes the time alone before the first message of a day.
      if (rest === undefined) return 'aside'
      const [, sender = null, said = rest] = SPOKEN.exec(rest) ?? []
      return { stamp, clock: clockOf(own, found), sender, said }
    }
    return last && NOTICE.test(line) ? { ...last, sender: null, said: line } : null
  }
}

type Found = Record<string, string | undefined>

function dayOf({ year, month, day, english }: Found): { year: number; month: number; day: number } | null {
  if (english === undefined) return { year: Number(year), month: Number(month), day: Number(day) }
  const [y, m, d] = (parseWrittenTime(english, null)?.local ?? '').split('-').map(Number)
  return y && m && d ? { year: y, month: m, day: d } : null
}

function clockOf(day: WallClock, { half, after, hour, minute }: Found): WallClock {
  const written = Number(hour)
  const part = halfIn(`${half ?? ''} ${after ?? ''}`)
  return {
    ...day,
    hour: part !== null && written <= 12 ? (written % 12) + (part === 'pm' ? 12 : 0) : written,
    minute: Number(minute),
  }
}
