import type { OriginPart } from '../api/origin-route.ts'
import { errorPage } from '../pages/error-page.ts'
import type { ConsoleEnvironment } from './environment.ts'
import { showNamedRecord, showRecord } from './record-page.ts'

/** Every page of the console: its path, and the function that shows it to the signed-in owner. */
const PAGES = [
  { path: '/r/:connection_id/:stream/:record_id', show: showRecord },
  { path: '/r/:connection_id/:named', show: showNamedRecord },
] as const

/** The owner's pages. They read through the resource server like every other client, as the owner. */
export function consolePart({ requireOwner, read }: ConsoleEnvironment): OriginPart {
  return {
    routes: PAGES.map(({ path, show }) => ({
      method: 'GET',
      path,
      access: 'session',
      async handle(request, { path, request_id }) {
        const session = await requireOwner(request)
        if (session instanceof Response) return session
        return show(inner => read(inner, request_id), path, new URL(request.url).searchParams)
      },
    })),
    refuse: error => errorPage(error, { titles: { 404: 'Nothing is here' }, signedIn: true }),
  }
}
