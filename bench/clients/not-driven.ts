const PUBLISHED = 'it calls from the internet; that it can sign in as it publishes itself is in the tests'
const DESKTOP = 'a desktop app that is not on npm; the entry follows its documentation'
const NO_DRIVER = 'there is no driver for it yet'

/** Clients that the program does not drive, and why. */
export const NOT_DRIVEN: readonly { name: string; why: string }[] = [
  { name: 'Cursor', why: `${DESKTOP}, and that it can sign in is in the tests` },
  { name: 'VS Code', why: `${DESKTOP}, and that it can sign in is in the tests` },
  { name: 'Claude Desktop', why: 'a desktop app for macOS and Windows; no such client can run here' },
  { name: 'Claude on the web', why: PUBLISHED },
  { name: 'ChatGPT', why: PUBLISHED },
  { name: 'Le Chat', why: PUBLISHED },
  { name: 'MCP Inspector', why: '`npm run prove` signs in with it and calls a tool' },
  { name: 'Copilot CLI', why: NO_DRIVER },
  { name: 'Goose', why: 'it is not on npm' },
  { name: 'Qwen Code', why: NO_DRIVER },
  { name: 'Cline', why: NO_DRIVER },
  { name: 'Continue', why: NO_DRIVER },
  { name: 'openai-agents', why: NO_DRIVER },
]
