import {
  addressOf,
  type BodyOf,
  knownText,
  type OriginContext,
  type PathOf,
  type QueryOf,
  type ReplyOf,
  type Route,
  refusalIn,
} from '../api/route.ts'
import type { Grant } from '../model/access/grant.ts'
import { CodedError } from '../model/errors.ts'
import { type Json, parseJson } from '../model/json.ts'
import { obscured, obscuredAnswer } from '../pages/demo.ts'
import { Times } from '../pages/times.ts'
import type { ConsoleEnvironment, Session } from './environment.ts'

interface Sent<R> {
  query?: QueryOf<R>
  json?: BodyOf<R>
}

/** One request of the signed-in owner for a page, with the means to read what it shows. */
export interface Visit {
  readonly env: ConsoleEnvironment
  readonly path: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly csrf: string
  readonly now: Date
  readonly times: Times
  /** Whether names and texts are obscured, for screenshots and talks. */
  readonly isDemo: boolean
  /** A name or a text as it is shown: scrambled in the demo. */
  shown(text: string): string
  /** The same visit with unscrambled names and texts, for building links. */
  readonly plain: Visit
  /** The body of a successful response of the resource server; a refusal is thrown as the error it contains. */
  call<R extends Route>(route: R, path: PathOf<R>, sent?: Sent<R>): Promise<ReplyOf<R>>
  /** The same visit, but reading with these grants, as an app would; nothing is recorded in the ledger. */
  as(grants: readonly Grant[]): Visit
  /** The response itself, for content that is not JSON. */
  fetch<R extends Route>(route: R, path: PathOf<R>): Promise<Response>
}

export function visitOf(
  env: ConsoleEnvironment,
  request: Request,
  session: Session,
  context: OriginContext,
  grants?: readonly Grant[],
  isPlain = false,
): Visit {
  const { csrf } = session
  const { path, request_id } = context
  const now = env.clock()
  const query = new URL(request.url).searchParams
  const isDemo = query.has('demo') && !isPlain
  const send = (address: string, init: RequestInit) =>
    env.send(new Request(env.publicUrl + address, init), request_id, grants)
  return {
    env,
    path,
    query,
    csrf,
    now,
    times: new Times(env.timeZone, now),
    isDemo,
    shown: text => (isDemo ? obscured(text) : text),
    get plain() {
      return visitOf(env, request, session, context, grants, true)
    },
    async call(route, names, { query: asked, json } = {}) {
      const body =
        json === undefined
          ? {}
          : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(json) }
      const response = await send(addressOf(route, names, asked), { method: route.method, ...body })
      const text = knownText(response) ?? (await response.text())
      const answer = text === '' ? null : parseJson(text)
      if (!response.ok) throw refusalIn(answer)
      return (isDemo ? obscuredAnswer(answer as Json) : answer) as never
    },
    as: granted => visitOf(env, request, session, context, granted, isPlain),
    fetch: (route, names) => send(addressOf(route, names), { method: route.method }),
  }
}

/** The response, or null if there is no such thing. Too many requests at once say nothing about that. */
export function orNull<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch((error: unknown) => {
    if (error instanceof CodedError && error.status < 500 && error.status !== 429) return null
    throw error
  })
}

/** Redirects to the next page after a form was received. */
export function goTo(path: string): Response {
  return new Response(null, { status: 303, headers: { Location: path, 'Cache-Control': 'no-store' } })
}
