import { notice } from '../pages/forms.ts'
import type { Html } from '../pages/layout.ts'
import { goTo, type Visit } from './visit.ts'

/** What a form did, in the words of the page that follows it. */
const DONE = {
  'access-changed': 'Saved. It takes effect at its next request.',
  'alerts-saved': 'Saved. What happens is told on Home and here.',
  'folder-left': 'The folder is no longer watched. What was imported from it stays.',
  'import-undone': 'The import was undone: the records that only it brought were deleted.',
  'person-saved': 'Saved. It changes these pages only, never what apps get.',
  'samples-removed': 'The samples were removed.',
  'search-removed': 'The saved search was removed.',
  'source-removed': 'The source and its records were removed.',
  'source-renamed': 'The source has its new name.',
  'started-now': 'It starts now. Reload this page to see what it found.',
  'sync-left': 'The account is no longer kept in sync, and its password was deleted. Its records stay.',
  'upload-dropped': 'Nothing was imported. The files that you chose were deleted here.',
} as const

export type Done = keyof typeof DONE

/** Redirects to the next page, which tells what was done. */
export function goToTell(path: string, done: Done): Response {
  return goTo(`${path}?${new URLSearchParams({ done }).toString()}`)
}

/** What the form before this page did. */
export function doneNotice({ query }: Visit): Html | '' {
  const done = query.get('done') ?? ''
  return Object.hasOwn(DONE, done) ? notice('good', DONE[done as Done]) : ''
}
