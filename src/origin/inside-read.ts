/** What routes look at of a request that reads. A whole Request takes longer to make than many answers. */
class InsideRead {
  readonly method = 'GET'
  readonly body = null
  readonly url: string
  readonly headers: Headers
  readonly signal: AbortSignal

  constructor(url: string, token: string, signal: AbortSignal) {
    this.url = url
    this.headers = new Headers({ Authorization: `Bearer ${token}`, Accept: 'application/json' })
    this.signal = signal
  }
}

/** A request for the dispatcher of this process, by a caller inside it. */
export function insideRead(url: string, token: string, signal: AbortSignal): Request {
  return new InsideRead(url, token, signal) as Partial<Request> as Request
}
