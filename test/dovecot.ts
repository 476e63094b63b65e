import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ImapFlow } from 'imapflow'
import { freePort } from './free-port.ts'

const BINARY = '/usr/sbin/dovecot'
const run = promisify(execFile)

export const hasDovecot = existsSync(BINARY)

/** Installs Dovecot from Debian packages; fails on other systems. */
export async function installDovecot(): Promise<void> {
  if (existsSync(BINARY)) return
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['install', '-y', '--no-install-recommends', 'dovecot-imapd'], { env })
}

export const USER = 'ada'
export const PASSWORD = 'a_secret_of_ada'

/** A real IMAP server on loopback, with one account and its password. */
export class Dovecot implements AsyncDisposable {
  readonly port: number
  readonly #folder: string
  readonly #config: string
  #process: ChildProcess | null = null

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.port = port
    this.#config = join(folder, 'dovecot.conf')
  }

  static async start(): Promise<Dovecot> {
    const folder = await mkdtemp(join(tmpdir(), 'footnote-dovecot-'))
    const dovecot = new Dovecot(folder, await freePort())
    await dovecot.#prepare()
    const child = spawn(BINARY, ['-F', '-c', dovecot.#config], { stdio: 'ignore' })
    dovecot.#process = child
    while (!(await answers(dovecot.port))) {
      if (child.exitCode !== null)
        throw new Error(await readFile(join(folder, 'log'), 'utf8').catch(() => 'Dovecot ended.'))
      await sleep(20)
    }
    return dovecot
  }

  /** The path of the messages of a folder. */
  maildir(folder: string): string {
    return join(this.#folder, 'mail', folder === 'INBOX' ? '' : `.${folder}`)
  }

  async #prepare(): Promise<void> {
    const isRoot = userInfo().uid === 0
    const [user, uid, gid] = isRoot
      ? ['nobody', 65_534, 65_534]
      : [userInfo().username, userInfo().uid, userInfo().gid]
    await chmod(this.#folder, 0o755)
    for (const name of ['mail', 'home']) {
      await mkdir(join(this.#folder, name))
      if (isRoot) await chown(join(this.#folder, name), uid, gid)
    }
    await writeFile(
      this.#config,
      `protocols = imap
listen = 127.0.0.1
base_dir = ${this.#folder}/run
log_path = ${this.#folder}/log
ssl = no
disable_plaintext_auth = no
first_valid_uid = 1
default_internal_user = ${user}
default_internal_group = ${isRoot ? 'nogroup' : gid}
default_login_user = ${user}
mail_location = maildir:${this.#folder}/mail
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${this.#folder}/home
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${this.port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
`,
    )
  }

  /** Writes messages directly into a folder, like a mail delivery, because that is fast. */
  async deliver(folder: string, messages: Iterable<string>, prefix: string): Promise<void> {
    const isRoot = userInfo().uid === 0
    const place = this.maildir(folder)
    for (const name of ['', 'cur', 'new', 'tmp']) {
      await mkdir(join(place, name), { recursive: true })
      if (isRoot) await chown(join(place, name), 65_534, 65_534)
    }
    let no = 0
    for (const message of messages) {
      const path = join(place, 'new', `1700000000.${prefix}${String(no++).padStart(6, '0')}.host`)
      await writeFile(path, message.replaceAll('\n', '\r\n'))
      if (isRoot) await chown(path, 65_534, 65_534)
    }
  }

  /** Makes the server assign new numbers to the messages of a folder. */
  async renumber(folder: string): Promise<void> {
    for (const file of ['dovecot-uidlist', 'dovecot.index', 'dovecot.index.log', 'dovecot.index.cache'])
      await rm(join(this.maildir(folder), file), { force: true })
  }

  /** A client that can change the account. */
  async client(): Promise<ImapFlow> {
    const client = new ImapFlow({
      ...{ host: '127.0.0.1', port: this.port, secure: false, doSTARTTLS: false, logger: false },
      ...{ auth: { user: USER, pass: PASSWORD }, disableAutoIdle: true },
    })
    await client.connect()
    return client
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#process
    if (child && child.exitCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }
    await rm(this.#folder, { recursive: true, force: true })
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('data', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
