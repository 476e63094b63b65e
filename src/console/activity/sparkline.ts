import { html } from 'hono/html'
import { MOST_IN_PART } from '../../api/owner/activity.ts'
import { number } from '../../model/amounts.ts'
import type { Html } from '../../pages/layout.ts'

const STEP = 10
const BAR = 7
const HEIGHT = 20
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** The requests of each day of a week as small bars. The same information is given in words. */
export function sparkline(byDay: readonly number[]): Html {
  const most = Math.max(1, ...byDay)
  const said = byDay
    .map((n, day) => `${DAYS[day]} ${number(n)}${n < MOST_IN_PART ? '' : ' or more'}`)
    .filter((_, day) => byDay[day] !== 0)
    .join(', ')
  return html`<svg class="spark" viewBox="0 0 ${byDay.length * STEP} ${HEIGHT}" role="img" aria-label="Requests by day: ${said}">${byDay.map(
    (n, day) => {
      const height = Math.max(n === 0 ? 1 : 3, (n / most) * HEIGHT)
      return html`<rect ${n === 0 ? html`class="none"` : ''} x="${day * STEP}" y="${(HEIGHT - height).toFixed(1)}" width="${BAR}" height="${height.toFixed(1)}"></rect>`
    },
  )}</svg>`
}
