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
  /** Writes its configuration, and signs in where that is asked for. */
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
  const { program, args, env, prepare } = agent(model.url)
  await prepare()
  const { home } = setting
  const browser = await browserOf(setting)
  opened.defer(browser.close)
  const running = opened.use(
    new RunningProgram({ program, args, cwd: home, env: { ...browser.env, ...env } }),
  )
  running.type(null)
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
 * Stands for the browser of this machine: the first address that a client opens or prints for signing in is decided on by
 * the owner. Later ones are left alone, so that removed access stays removed.
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

/** Something to type once a program has said something. */
export interface Typing {
  after: RegExp
  keys: string
}

/**
 * Runs a program that wants an address opened, opens it, and waits until the program has ended, or until it has said that it
 * is done.
 */
export async function signInWith(
  setting: Pick<Setting, 'home' | 'decide'>,
  program: string,
  args: string[],
  env: Record<string, string>,
  { typing = [], done }: { typing?: readonly Typing[]; done?: RegExp } = {},
): Promise<void> {
  const { home } = setting
  await using opened = new AsyncDisposableStack()
  const browser = await browserOf(setting)
  opened.defer(browser.close)
  const finished = Promise.withResolvers<number>()
  const due = [...typing]
  let from = 0
  const heard = (said: string) => {
    browser.look(said)
    const [next] = due
    if (next?.after.test(said.slice(from))) {
      due.shift()
      from = said.length
      running.type(next.keys)
    }
    if (done?.test(said.slice(from))) finished.resolve(0)
  }
  const running = opened.use(
    new RunningProgram({ program, args, cwd: home, env: { ...browser.env, ...env } }, heard),
  )
  if (typing.length === 0) running.type(null)
  const late = setTimeout(() => finished.reject(new Error('nobody signed in')), 180_000)
  const code = await Promise.race([running.ended, finished.promise]).finally(() => clearTimeout(late))
  if (code !== 0) throw new Error(`signing in ended with ${code}: ${running.said.slice(-300)}`)
}

/** A program in a terminal of its own, which those need that sign in only in their own windows. */
export function inTerminal(program: string, args: readonly string[]): [program: string, args: string[]] {
  const quoted = [program, ...args].map(part => `'${part.replaceAll("'", `'\\''`)}'`).join(' ')
  return ['script', ['-qec', `stty cols 200 rows 50; exec ${quoted}`, '/dev/null']]
}
