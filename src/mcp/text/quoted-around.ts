import { countCodePoints, sliceCodePoints } from '../../model/text/code-points.ts'
import { bytesOf, mostWithin, quote } from './quote.ts'
import { quotedSizes } from './quoted-sizes.ts'

const ELLIPSIS = '…'

/** A quoted part of a text around a match, including the match or at least its start (EV-8). */
export function quotedAround(
  text: string,
  match: { start: number; end: number } | null,
  mostBytes: number,
): string {
  const size = countCodePoints(text)
  const { start, end } = match ?? { start: 0, end: 0 }
  const bounds = (room: number) => {
    const inside = Math.min(end - start, room)
    const before = Math.min(start, Math.floor((room - inside) / 3))
    const to = Math.min(size, start - before + room)
    // Room that is not used at the end of the text is used before the match.
    return { from: Math.max(0, Math.min(start - before, to - room)), to }
  }
  const render = (room: number) => {
    const { from, to } = bounds(room)
    return quote(`${from > 0 ? ELLIPSIS : ''}${sliceCodePoints(text, from, to)}${to < size ? ELLIPSIS : ''}`)
  }
  const sizes = quotedSizes(text)
  const bytesAt = (room: number) => {
    if (!sizes) return bytesOf(render(room))
    const { from, to } = bounds(room)
    const ellipses = (from > 0 ? 1 : 0) + (to < size ? 1 : 0)
    return 2 + sizes(to) - sizes(from) + ellipses * bytesOf(ELLIPSIS)
  }
  return render(mostWithin(Math.min(size, mostBytes), bytesAt, mostBytes))
}
