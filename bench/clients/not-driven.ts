const PUBLISHED = 'it calls from the internet; that it can sign in as it publishes itself is in the tests'
const DESKTOP = 'a desktop app that is not on npm; the entry follows its documentation'

/** Clients that are not automated, and why. */
export const NOT_DRIVEN: readonly { name: string; why: string }[] = [
  { name: 'Cursor', why: `${DESKTOP}, and that it can sign in is in the tests` },
  { name: 'VS Code', why: `${DESKTOP}, and that it can sign in is in the tests` },
  { name: 'Claude Desktop', why: 'a desktop app for macOS and Windows; no such client can run here' },
  { name: 'Claude on the web', why: PUBLISHED },
  { name: 'ChatGPT', why: PUBLISHED },
  { name: 'Le Chat', why: PUBLISHED },
  { name: 'Goose', why: 'it is not on npm: no package of its makers was found there' },
]
