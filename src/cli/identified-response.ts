import { ServerResponse } from 'node:http'
import { requestId } from '../resource-server/request/request-id.ts'

const REQUEST_ID = 'Request-Id'

/** A response of the origin. It has the id of its request from the beginning, whichever part answers. */
export class IdentifiedResponse extends ServerResponse {
  constructor(...args: ConstructorParameters<typeof ServerResponse>) {
    super(...args)
    this.setHeader(REQUEST_ID, requestId())
  }

  /** Koa drops every header before it answers a failure of its own; the id stays. */
  override removeHeader(name: string): void {
    if (name.toLowerCase() !== REQUEST_ID.toLowerCase()) super.removeHeader(name)
  }
}

/** The id that a response of the origin carries. */
export function requestIdOf(response: Pick<ServerResponse, 'getHeader'>): string {
  return String(response.getHeader(REQUEST_ID))
}
