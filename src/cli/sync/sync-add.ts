import { createConnection, listConnections, registerDeclaration } from '../../api/owner/catalog.ts'
import { addSync, listSyncs, MOST_SYNC_MINUTES } from '../../api/owner/syncs.ts'
import { MAIL } from '../../importers/mail/declaration.ts'
import { number } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { addressText, type MailAddress, readAddress } from '../../sync/address.ts'
import { syncedFolders } from '../../sync/folder-changes.ts'
import { loginOf } from '../../sync/login.ts'
import { MailAccount } from '../../sync/mail-account.ts'
import { seal } from '../../sync/sealed-secret.ts'
import { type Command, onlyOne, text } from '../command.ts'
import { quoted, sourceNamed } from '../names.ts'
import { type OwnServer, startOwnServer } from '../own-server.ts'
import { EXIT_FAILURE, ExitError, UsageError } from '../terminal/exit-errors.ts'
import { oneLine } from '../terminal/terminal.ts'
import { secretOf } from './sync-secret.ts'

const USUAL_MINUTES = 15
const HINT = 'footnote sync add imap://ada@imap.example.org'

export const syncAdd: Command = {
  name: 'sync add',
  usage:
    'footnote sync add imap://USER@HOST[:PORT][/FOLDER] [--name NAME] [--connection CONNECTION]\n' +
    '  [--every MINUTES] [--delete] [--plain] [--password-file FILE | --oauth-file FILE] [--json]\n\n' +
    'The password is asked for, or read from --password-file or FOOTNOTE_SYNC_PASSWORD. It is stored encrypted.\n' +
    `--every is 0 to ${MOST_SYNC_MINUTES} minutes (${USUAL_MINUTES}); 0 means only by hand. --delete also deletes records whose messages\n` +
    'were deleted on the server. --plain allows a connection without encryption.',
  examples: [
    'footnote sync add imap://ada@example.org@imap.example.org',
    'footnote sync add imap://ada@imap.example.org/Archive --every 60 --password-file ./password',
    'footnote sync add imap://ada@imap.example.org --connection "Old mail" --delete',
  ],
  async run(invocation) {
    const { config, values, positionals, print, note, spelled } = invocation
    const address = addressIn(onlyOne(positionals, 'the address of an account', HINT), values.plain === true)
    const every_minutes = minutesIn(text(values, 'every'))
    const secret = JSON.stringify(await secretOf(invocation, address.user))
    const { directory } = config.location
    let kept = secret
    const login = await loginOf(address.user, secret, new AbortController().signal, async renewed => {
      kept = renewed
    })
    const messages = await messagesIn(address, login)
    const account = address.user.includes('@') ? address.user : `${address.user}@${address.host}`
    const name = text(values, 'name') ?? account
    await using server = await startOwnServer(config)
    await assertNew(server, name)
    const connection_id = await connectionOf(server, text(values, 'connection'), name)
    const { security } = address
    const sync = await server.call(
      addSync,
      {},
      {
        json: {
          ...{ name, connection_id, address: addressText(address), security },
          ...{ deletes: values.delete === true, every_minutes, secret: seal(directory, kept) },
        },
      },
    )
    if (values.json) return print(JSON.stringify(sync))
    print(`${sync.sync_id}  ${oneLine(sync.name)}  ${sync.address}`)
    note(`Signed in: ${number(messages)} messages. Nothing is changed on the server.`)
    note(`Sync it now: ${spelled('footnote sync run')} ${quoted(sync.name)}`)
    if (every_minutes > 0)
      note(`A running server syncs it every ${every_minutes === 1 ? 'minute' : `${every_minutes} minutes`}.`)
  },
}

function addressIn(given: string, isPlain: boolean): MailAddress {
  try {
    return readAddress(given, isPlain)
  } catch (error) {
    if (error instanceof CodedError) throw new UsageError(error.message, HINT)
    throw error
  }
}

function minutesIn(given: string | undefined): number {
  if (given === undefined) return USUAL_MINUTES
  if (/^\d{1,5}$/.test(given) && Number(given) <= MOST_SYNC_MINUTES) return Number(given)
  throw new UsageError(`--every is a whole number of minutes from 0 to ${MOST_SYNC_MINUTES}.`, '--every 15')
}

/** Signs in, so that a wrong password or name is detected now. */
async function messagesIn(
  address: MailAddress,
  login: Parameters<typeof MailAccount.open>[1],
): Promise<number> {
  await using account = await MailAccount.open(address, login)
  const folders = await syncedFolders(account)
  return folders.reduce((sum, { status }) => sum + (status?.messages ?? 0), 0)
}

/** Before a connection is created for the account. */
async function assertNew(server: OwnServer, name: string): Promise<void> {
  const { data } = await server.call(listSyncs, {})
  if (data.some(sync => sync.name === name)) {
    const hint = 'footnote sync list, or --name for another name'
    throw new ExitError(`An account named ${oneLine(name)} is already kept in sync.`, hint, EXIT_FAILURE)
  }
}

/** The connection that was named; else the one that an earlier sync of this name left, or a new one. */
async function connectionOf(server: OwnServer, named: string | undefined, name: string): Promise<string> {
  await server.call(registerDeclaration, {}, { json: MAIL })
  if (named === undefined) {
    const { data } = await server.call(listConnections, {})
    const left = data.find(each => each.source_id === MAIL.source.id && each.display_name === name)
    if (left) return left.connection_id
    const json = { source_id: MAIL.source.id, display_name: name.slice(0, 200) }
    return (await server.call(createConnection, {}, { json })).connection_id
  }
  const { connection_id, source_id, display_name } = await sourceNamed(server, named)
  if (source_id === MAIL.source.id) return connection_id
  throw new UsageError(`${display_name} does not contain mail.`, 'footnote connections')
}
