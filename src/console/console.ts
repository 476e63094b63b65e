import { CodedError } from '../model/errors.ts'
import { refusal } from '../pages/forms.ts'
import { pageResponse } from '../pages/layout.ts'
import { showRecord } from './record-page.ts'

export interface ConsoleEnvironment {
  /** The signed-in owner's session, or the response that leads to sign-in and back. */
  requireOwner(request: Request): Promise<object | Response>
  /** Reads from the resource server as the owner. */
  read(path: string): Promise<unknown>
  report(error: unknown): void
}

/** Every page of the console. */
export const CONSOLE_ROUTES = [
  { method: 'GET', path: '/r/:connection_id/:stream/:record_id', handle: showRecord },
] as const

export interface Console {
  matches(path: string): boolean
  fetch(request: Request): Promise<Response>
}

/** The owner's pages. They read through the resource server like every other client, as the owner. */
export function createConsole(env: ConsoleEnvironment): Console {
  const routes = CONSOLE_ROUTES.map(route => ({
    ...route,
    pattern: new RegExp(`^${route.path.replace(/:\w+/g, '([^/]+)')}$`),
  }))
  const find = (path: string) => routes.find(({ pattern }) => pattern.test(path))
  return {
    matches: path => find(path) !== undefined,
    async fetch(request) {
      try {
        const { pathname, searchParams } = new URL(request.url)
        const route = find(pathname)
        if (!route) throw new CodedError('route_not_found', 'There is no such page.')
        if (request.method !== route.method) {
          throw new CodedError('method_not_allowed', 'This page is only for reading.')
        }
        const session = await env.requireOwner(request)
        if (session instanceof Response) return session
        const [, ...segments] = route.pattern.exec(pathname) ?? []
        return await route.handle(env, segments.map(decoded), searchParams)
      } catch (error) {
        return errorPage(env, error)
      }
    },
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new CodedError('route_not_found', 'There is no such page.')
  }
}

function errorPage(env: ConsoleEnvironment, error: unknown): Promise<Response> {
  const coded =
    error instanceof CodedError
      ? error
      : new CodedError('internal_error', 'Something went wrong on the server. Its log says what.')
  if (coded !== error) env.report(error)
  const title = coded.status === 404 ? 'Nothing is here' : 'That did not work'
  const body = refusal({ title, message: coded.message, code: coded.code })
  return pageResponse({ title, body, width: 'narrow', signedIn: true }, { status: coded.status })
}
