import { spawn } from 'node:child_process'
import { unwatchFile, watchFile } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
  const model = await ScriptedModel.start(dialect, isOurs)
  const { program, args, env, prepare } = agent(model.url)
  await prepare()
  const { home } = setting
  const browser = await browserOf(setting)
  const child = spawn(program, args, {
    cwd: home,
    env: { PATH: browser.path, HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
  const end = async () => {
    browser.close()
    child.kill('SIGKILL')
    await model[Symbol.asyncDispose]()
  }
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', code => reject(new Error(`the client ended with ${code}`)))
  })
  ended.catch(() => {})
  const tools = await Promise.race([model.ready(180_000), ended]).catch(async (error: Error) => {
    await end()
    throw new Error(`${error.message}: ${said.slice(-300)}`)
  })
  const call: Session['call'] = (name, args) => Promise.race([model.call(name, args), ended])
  return { tools, call, [Symbol.asyncDispose]: end }
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
  const path = `${folder}:${process.env.PATH}`
  return { path, look, close: () => unwatchFile(opened) }
}

/** Runs a program that wants an address opened, opens it, and waits until the program has ended. */
export async function signInWith(
  setting: Pick<Setting, 'home' | 'decide'>,
  program: string,
  args: string[],
  env: Record<string, string>,
): Promise<void> {
  const { home } = setting
  const browser = await browserOf(setting)
  const child = spawn(program, args, {
    cwd: home,
    env: { PATH: browser.path, HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const listen = (chunk: Buffer) => {
    said += chunk.toString()
    browser.look(said)
  }
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)
  const late = setTimeout(() => child.kill('SIGKILL'), 180_000)
  const code = await new Promise(resolve => child.once('exit', resolve))
  clearTimeout(late)
  browser.close()
  if (code !== 0) throw new Error(`signing in ended with ${code}: ${said.slice(-300)}`)
}
