import type { Command } from './command.ts'

const grants = () => import('./grants.ts')

/** Every command there is. Each is loaded when it is called: an assistant that starts `mcp` waits for nothing else. */
const LOADERS: Record<string, () => Promise<Command>> = {
  start: async () => (await import('./start.ts')).start,
  serve: async () => (await import('./serve.ts')).serve,
  mcp: async () => (await import('./mcp.ts')).mcp,
  import: async () => (await import('./import.ts')).importCommand,
  'sign-in-link': async () => (await import('./sign-in-link.ts')).signInLink,
  'owner-token': async () => (await import('./owner-token.ts')).ownerToken,
  'grant create': async () => (await grants()).grantCreate,
  'grant list': async () => (await grants()).grantList,
  'grant show': async () => (await grants()).grantShow,
  'grant revoke': async () => (await grants()).grantRevoke,
  connections: async () => (await import('./connections.ts')).connections,
  connect: async () => (await import('./connect.ts')).connect,
  search: async () => (await import('./search.ts')).search,
  read: async () => (await import('./read.ts')).read,
  records: async () => (await import('./records.ts')).records,
  schema: async () => (await import('./schema.ts')).schema,
  ledger: async () => (await import('./ledger.ts')).ledger,
  export: async () => (await import('./export.ts')).exportData,
  restore: async () => (await import('./restore.ts')).restore,
  backup: async () => (await import('./backup.ts')).backup,
  tour: async () => (await import('./tour.ts')).tour,
  doctor: async () => (await import('./doctor.ts')).doctor,
  version: async () => (await import('./version.ts')).version,
}

export function loadCommands(): Promise<Command[]> {
  return Promise.all(Object.values(LOADERS).map(load => load()))
}

/** The command that the arguments begin with. */
export async function findCommand(argv: readonly string[]): Promise<Command | undefined> {
  const name = Object.keys(LOADERS).find(each => each.split(' ').every((word, i) => argv[i] === word))
  return name === undefined ? undefined : LOADERS[name]?.()
}
