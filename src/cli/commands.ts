import { backup } from './backup.ts'
import type { Command } from './command.ts'
import { connect } from './connect.ts'
import { connections } from './connections.ts'
import { doctor } from './doctor.ts'
import { exportData } from './export.ts'
import { grantCreate, grantList, grantRevoke, grantShow } from './grants.ts'
import { importCommand } from './import.ts'
import { ledger } from './ledger.ts'
import { mcp } from './mcp.ts'
import { ownerToken } from './owner-token.ts'
import { read } from './read.ts'
import { records } from './records.ts'
import { restore } from './restore.ts'
import { schema } from './schema.ts'
import { search } from './search.ts'
import { serve } from './serve.ts'
import { signInLink } from './sign-in-link.ts'
import { start } from './start.ts'
import { tour } from './tour.ts'
import { version } from './version.ts'

/** Every command there is. */
export const COMMANDS: readonly Command[] = [
  start,
  serve,
  mcp,
  importCommand,
  signInLink,
  ownerToken,
  grantCreate,
  grantList,
  grantShow,
  grantRevoke,
  connections,
  connect,
  search,
  read,
  records,
  schema,
  ledger,
  exportData,
  restore,
  backup,
  tour,
  doctor,
  version,
]
