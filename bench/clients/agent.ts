import { spawn } from 'node:child_process'
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
  { home }: Pick<Setting, 'home'>,
  agent: (modelUrl: string) => Agent,
  dialect: Dialect,
): Promise<Session> {
  const model = await ScriptedModel.start(dialect)
  const { program, args, env, prepare } = agent(model.url)
  await prepare()
  const child = spawn(program, args, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
  const end = async () => {
    child.kill('SIGKILL')
    await model[Symbol.asyncDispose]()
  }
  const tools = await model.ready(60_000).catch(async (error: Error) => {
    await end()
    throw new Error(`${error.message}: ${said.slice(-300)}`)
  })
  return { tools, call: (name, args) => model.call(name, args), [Symbol.asyncDispose]: end }
}

/** Runs a program that wants an address opened, opens it, and waits until the program has ended. */
export async function signInWith(
  { home, decide }: Pick<Setting, 'home' | 'decide'>,
  program: string,
  args: string[],
  env: Record<string, string>,
): Promise<void> {
  const child = spawn(program, args, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, BROWSER: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  let asked = false
  const listen = (chunk: Buffer) => {
    said += chunk.toString()
    const url = /http:\/\/\S+\/oauth\/authorize\?[^\s"']+(?=[\s"'])/.exec(said)?.[0]
    if (url === undefined || asked) return
    asked = true
    decide(new URL(url)).catch(error => process.stderr.write(`${error}\n`))
  }
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)
  const late = setTimeout(() => child.kill('SIGKILL'), 60_000)
  const code = await new Promise(resolve => child.once('exit', resolve))
  clearTimeout(late)
  if (code !== 0) throw new Error(`signing in ended with ${code}: ${said.slice(-300)}`)
}
