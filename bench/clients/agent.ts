import { unwatchFile, watchFile } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RunningProgram } from './program.ts'
import { type Dialect, ScriptedModel } from './scripted-model.ts'
import type { Session, Setting } from './session.ts'

/** A program that talks to a model by itself. */
export interface Agent {
  program: string
  args: string[]
  env: Record<string, string>
  /** What a person would type into it. */
  typing?: readonly Typing[]
  /** Writes its configuration, and signs in if needed. */
  prepare(): Promise<void>
}

/** Starts an agent with the scripted model; it is connected once the model is offered the tools. */
export async function openAgent(
  setting: Pick<Setting, 'home' | 'decide'>,
  agent: (modelUrl: string) => Agent,
  dialect: Dialect,
  isOurs?: (tool: string) => boolean,
): Promise<Session> {
  await using opened = new AsyncDisposableStack()
  const model = opened.use(await ScriptedModel.start(dialect, isOurs))
  const { program, args, env, typing = [], prepare } = agent(model.url)
  await prepare()
  const { home } = setting
  const browser = await browserOf(setting)
  opened.defer(browser.close)
  const running: RunningProgram = opened.use(
    new RunningProgram(
      { program, args, cwd: home, env: { ...browser.env, ...env } },
      typist(typing, keys => running.type(keys)),
    ),
  )
  if (typing.length === 0) running.type(null)
  const ended = running.ended.then(code => {
    throw new Error(`the client ended with ${code}`)
  })
  ended.catch(() => {})
  const tools = await Promise.race([model.ready(180_000), ended]).catch((error: Error) => {
    throw new Error(`${error.message}: ${running.said.slice(-300)}`)
  })
  const call: Session['call'] = (name, args) => Promise.race([model.call(name, args), ended])
  const kept = opened.move()
  return { tools, call, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

const OPENERS = ['xdg-open', 'open', 'sensible-browser', 'x-www-browser', 'www-browser']

/**
 * Takes the place of the browser on this machine: the owner decides on the first sign-in URL that a client opens or
 * prints. Later ones are ignored, so that removed access stays removed.
 */
async function browserOf({ home, decide }: Pick<Setting, 'home' | 'decide'>) {
  const folder = join(home, 'browsers')
  const opened = join(folder, 'opened')
  await mkdir(folder, { recursive: true })
  await writeFile(opened, '')
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" >> '${opened}'\n`
  for (const name of OPENERS) await writeFile(join(folder, name), script, { mode: 0o755 })
  let isAsked = false
  const look = (text: string) => {
    const url = /http:\/\/[\w.:-]+\/oauth\/authorize\?[\w.~%&=+-]+(?=[^\w.~%&=+-])/.exec(text)?.[0]
    if (url === undefined || isAsked) return
    isAsked = true
    decide(new URL(url)).catch(error => process.stderr.write(`${error}\n`))
  }
  watchFile(opened, { interval: 200 }, () => void readFile(opened, 'utf8').then(look))
  const env = { PATH: `${folder}:${process.env.PATH}`, HOME: home, TMPDIR: home }
  return { env, look, close: () => unwatchFile(opened) }
}

/** Something to type once a program has printed something. */
interface Typing {
  after: RegExp
  keys: string
}

/** Types each thing after what it waits for, in order. */
function typist(typing: readonly Typing[], type: (keys: string) => void): (said: string) => void {
  const due = [...typing]
  let from = 0
  return said => {
    const [next] = due
    if (!next?.after.test(plain(said.slice(from)))) return
    due.shift()
    from = said.length
    type(next.keys)
  }
}

/**
 * Runs a program that wants a URL opened, opens it, and waits until the program has ended or has stored its
 * credentials.
 */
export async function signInWith(
  setting: Pick<Setting, 'home' | 'decide'>,
  program: string,
  args: string[],
  env: Record<string, string>,
  isStored?: () => boolean,
): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const browser = await browserOf(setting)
  opened.defer(browser.close)
  const running = opened.use(
    new RunningProgram({ program, args, cwd: setting.home, env: { ...browser.env, ...env } }, browser.look),
  )
  if (!isStored) running.type(null)
  const { promise: other, resolve } = Promise.withResolvers<string | number>()
  const late = setTimeout(() => resolve('a timeout'), 180_000)
  const looks = setInterval(() => {
    if (isStored?.()) resolve(0)
  }, 500)
  const code = await Promise.race([running.ended, other])
  clearTimeout(late)
  clearInterval(looks)
  if (code !== 0) throw new Error(`signing in ended with ${code}: ${plain(running.said).slice(-300)}`)
}

/** Removes cursor movements and colours. */
function plain(said: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are controlled by them
  return said.replaceAll(/\x1b(?:\[[\d;?<=>]*[ -/]*[@-~]|\][^\x07]*\x07|.)/g, ' ')
}

/** Runs a program in a terminal, for those that sign in only interactively. */
export function inTerminal(program: string, args: readonly string[]): [program: string, args: string[]] {
  const quoted = [program, ...args].map(part => `'${part.replaceAll("'", `'\\''`)}'`).join(' ')
  return ['script', ['-qec', `stty cols 200 rows 50; exec ${quoted}`, '/dev/null']]
}
