import { type ChildProcess, fork } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RecentlyUsed } from '../model/recently-used.ts'
import type { QueryMeaning, Vector } from '../model/search/meaning.ts'
import type { Answer, Question } from './process.ts'

const OWN_CODE = dirname(import.meta.dirname)
const PROCESS = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './process.ts' : './process.js', import.meta.url),
)
/** The longest that a search waits for the meaning of its query. */
const QUERY_PATIENCE_MS = 150
const MOST_RECENT = 500
/** How long after it stopped it is restarted. */
const RESTART_MS = 5_000

interface ModelProcessOptions {
  /** Where the model is installed. */
  folder: string
  /** The script to run in the process, if not the model. */
  script?: string
  /** How long a query waits. */
  patienceMs?: number
  restartMs?: number
  report: (error: Error) => void
}

/**
 * The process that runs the model, as its parent sees it. It may read only its code and the model, gets none of the
 * environment, and is restarted after it stopped.
 */
export class ModelProcess implements Disposable {
  readonly #options: ModelProcessOptions
  readonly #waiting = new Map<
    number,
    { resolve: (vector: Vector | null) => void; reject: (error: Error) => void }
  >()
  /** The meaning of the most recent queries, because the pages of a search ask for the same one. */
  readonly #recent = new RecentlyUsed<QueryMeaning>(MOST_RECENT)
  #child: ChildProcess | null = null
  #isReady = false
  #restart: NodeJS.Timeout | undefined
  #questions = 0
  #isClosed = false

  constructor(options: ModelProcessOptions) {
    this.#options = options
    this.#start()
  }

  get process_id(): number | null {
    return this.#child?.pid ?? null
  }

  /** The meaning of a query, or why it is not known in time. */
  async ask(text: string): Promise<QueryMeaning> {
    const known = this.#recent.known(text)
    if (known) return known
    if (!this.#isReady) return { absent: 'stopped' }
    const { patienceMs = QUERY_PATIENCE_MS } = this.#options
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<QueryMeaning>(resolve => {
      timer = setTimeout(() => resolve({ absent: 'slow' }), patienceMs)
    })
    const asked = this.#send(text, 'query').then(
      (vector): QueryMeaning => {
        const meaning = vector ? { vector } : ({ absent: 'language' } as const)
        this.#recent.set(text, meaning)
        return meaning
      },
      (): QueryMeaning => ({ absent: 'stopped' }),
    )
    try {
      return await Promise.race([asked, late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** The vector of a record's text; fails if the process stops. */
  async embed(text: string): Promise<Vector> {
    const vector = await this.#send(text, 'record')
    if (!vector) throw new Error('The model gave no vector.')
    return vector
  }

  #send(text: string, kind: Question['kind']): Promise<Vector | null> {
    const child = this.#child
    if (!child) return Promise.reject(new Error('The model does not run.'))
    const no = ++this.#questions
    return new Promise((resolve, reject) => {
      this.#waiting.set(no, { resolve, reject })
      child.send({ no, text, kind } satisfies Question)
    })
  }

  #start(): void {
    const { folder, script = PROCESS, report } = this.#options
    const child = fork(script, [folder], {
      serialization: 'advanced',
      env: {},
      execArgv: [
        '--disable-warning=ExperimentalWarning',
        '--disable-warning=SecurityWarning',
        ...['--permission', '--allow-addons', '--max-old-space-size=64'],
        ...[OWN_CODE, folder, dirname(script)].map(path => `--allow-fs-read=${path}/*`),
        `--allow-fs-read=${join(dirname(OWN_CODE), 'package.json')}`,
      ],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child = child
    child.on('message', (message: Answer | 'ready') => {
      if (message === 'ready') this.#isReady = true
      else {
        this.#waiting.get(message.no)?.resolve(message.vector)
        this.#waiting.delete(message.no)
      }
    })
    child.on('error', error => {
      // A process that could not be started never exits.
      if (child.pid === undefined) this.#stopped(child, error)
      else report(error)
    })
    child.on('exit', code => this.#stopped(child, new Error(`The model's process ended with code ${code}.`)))
  }

  #stopped(child: ChildProcess, error: Error): void {
    if (this.#child !== child) return
    this.#child = null
    this.#isReady = false
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
    if (this.#isClosed) return
    this.#options.report(error)
    this.#restart = setTimeout(() => this.#start(), this.#options.restartMs ?? RESTART_MS)
    this.#restart.unref()
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#restart)
    this.#child?.kill()
  }
}
