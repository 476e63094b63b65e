import { html } from 'hono/html'
import { counted, number } from '../../model/amounts.ts'
import type { Html } from '../../pages/layout.ts'
import { monthText } from '../../pages/words.ts'
import type { Timeline } from '../sources/overview.ts'

const WIDTH = 960
const HEIGHT = 120
const WIDEST_BAR = 48

/** Records over time as bars. The same information is given in words. */
export function chart({ unit, counts }: Timeline): Html | '' {
  const bars = filled(unit, counts)
  const [first, last] = [bars[0], bars.at(-1)]
  if (!first || !last) return ''
  const most = Math.max(...bars.map(bar => bar.n))
  const peak = bars.find(bar => bar.n === most) ?? first
  const step = WIDTH / bars.length
  const width = Math.max(1, Math.min(step * 0.78, WIDEST_BAR))
  const said = `Records per ${unit} from ${spoken(first.key)} to ${spoken(last.key)}. Most: ${number(most)} in ${spoken(peak.key)}.`
  return html`<figure class="chart">
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${said}">
${bars.map(({ key, n }, index) => {
  const height = n === 0 ? 0 : Math.max(2, (n / most) * HEIGHT)
  return html`<rect x="${((index + 0.5) * step - width / 2).toFixed(1)}" y="${(HEIGHT - height).toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}"><title>${spoken(key)}: ${counted(n, 'record')}</title></rect>`
})}</svg>
<figcaption><span>${spoken(first.key)}</span><span>Most in ${spoken(peak.key)}: ${counted(most, 'record')}</span><span>${spoken(last.key)}</span></figcaption></figure>`
}

/** Every month or year from the first to the last, including those without records. */
function filled(unit: Timeline['unit'], counts: ReadonlyMap<string, number>): { key: string; n: number }[] {
  const keys = [...counts.keys()].sort()
  const [first, last] = [keys[0], keys.at(-1)]
  if (first === undefined || last === undefined) return []
  const place = (key: string) =>
    unit === 'year' ? Number(key) : Number(key.slice(0, 4)) * 12 + Number(key.slice(5)) - 1
  const name = (at: number) =>
    unit === 'year'
      ? String(at).padStart(4, '0')
      : `${String(Math.floor(at / 12)).padStart(4, '0')}-${String((at % 12) + 1).padStart(2, '0')}`
  return Array.from({ length: place(last) - place(first) + 1 }, (_, index) => {
    const key = name(place(first) + index)
    return { key, n: counts.get(key) ?? 0 }
  })
}

function spoken(key: string): string {
  return key.length > 4 ? monthText(key) : key
}
