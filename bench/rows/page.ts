import type { Exchange } from '../client.ts'
import { alternate } from '../measure.ts'
import { timed } from '../result.ts'
import type { Row } from '../row.ts'
import { scopeQuery, UNTIL_KEY } from '../scope.ts'
import { TARGETS } from '../targets.ts'

const LIMIT = 25

interface Page {
  data: unknown[]
  next_cursor?: string
  next?: [string, string]
}

/** Both walk the same pages of both connections, newest first, from the start again after the last. */
export const page: Row = {
  name: 'page of 25',
  async measure(rig) {
    let cursor = ''
    let after: [string, string] = [UNTIL_KEY, '']
    const parsed = ({ body }: Exchange): Page => JSON.parse(body.toString()) as Page
    const full = (found: Page) => {
      if (found.data.length !== LIMIT && (found.next_cursor ?? found.next))
        throw new Error('A page is short.')
      return found
    }
    const { server, floor } = await alternate(
      {
        server: async () => {
          const exchange = await rig.client.send(`/v1/streams/messages/records?limit=${LIMIT}${cursor}`)
          const { next_cursor } = full(parsed(exchange))
          cursor = next_cursor === undefined ? '' : `&cursor=${next_cursor}`
          return exchange
        },
        floor: async () => {
          const [before, key] = after
          const exchange = await rig.floor.send(`/page?${scopeQuery(rig)}&before=${before}&key=${key}`)
          after = full(parsed(exchange)).next ?? [UNTIL_KEY, '']
          return exchange
        },
      },
      rig.size.seconds * 2,
    )
    return [timed({ row: this.name, server, floor, target: TARGETS.page })]
  },
}
