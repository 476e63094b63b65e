import { CodedError } from '../model/errors.ts'
import { errorPage } from '../pages/error-page.ts'
import type { ConsoleEnvironment } from './environment.ts'
import { showRecord } from './record-page.ts'

/** Every page of the console. */
export const CONSOLE_ROUTES = [
  { method: 'GET', path: '/r/:connection_id/:stream/:record_id', handle: showRecord },
] as const

export interface Console {
  matches(path: string): boolean
  fetch(request: Request, request_id: string): Promise<Response>
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
    async fetch(request, request_id) {
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
        if (!(error instanceof CodedError)) env.report(error, request_id)
        return errorPage(error, { titles: { 404: 'Nothing is here' }, signedIn: true })
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
