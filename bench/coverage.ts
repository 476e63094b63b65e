import { type Profiler, Session } from 'node:inspector/promises'

const SRC = new URL('../src/', import.meta.url).href

/** The files of src in which a function ran; loading a file does not count. */
export function filesIn(scripts: readonly Profiler.ScriptCoverage[]): string[] {
  const ran = ({ functionName, ranges: [range] }: Profiler.FunctionCoverage) =>
    range !== undefined && range.count > 0 && (functionName !== '' || range.startOffset > 0)
  return scripts
    .filter(({ url, functions }) => url.startsWith(SRC) && functions.some(ran))
    .map(({ url }) => url.slice(SRC.length))
}

/** Which functions run, in this thread and in the workers that it starts. */
export class Coverage implements AsyncDisposable {
  readonly #session = new Session()
  readonly #workers = new Map<string, Promise<unknown>>()
  readonly #waiting = new Map<number, (result: Profiler.TakePreciseCoverageReturnType) => void>()
  #id = 0

  static async start(): Promise<Coverage> {
    const coverage = new Coverage()
    const session = coverage.#session
    session.connect()
    session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) =>
      coverage.#workers.set(
        sessionId,
        coverage.#begin((method, params) => coverage.#tell(sessionId, method, params)),
      ),
    )
    session.on('NodeWorker.detachedFromWorker', ({ params }) => coverage.#workers.delete(params.sessionId))
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      const { id, result } = JSON.parse(params.message)
      coverage.#waiting.get(id)?.(result)
    })
    await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
    await coverage.#begin((method, params) => session.post(method, params))
    return coverage
  }

  async during(work: () => Promise<unknown>): Promise<string[]> {
    await Promise.all(this.#workers.values())
    await this.#take()
    await work()
    return [...new Set(await this.#take())].sort()
  }

  async #begin(tell: (method: string, params?: object) => Promise<unknown>): Promise<void> {
    await tell('Profiler.enable')
    await tell('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  }

  /** What ran since the last call. */
  async #take(): Promise<string[]> {
    const own = await this.#session.post('Profiler.takePreciseCoverage')
    const workers = await Promise.all(
      [...this.#workers.keys()].map(id => this.#tell(id, 'Profiler.takePreciseCoverage')),
    )
    return [own, ...workers].flatMap(({ result }) => filesIn(result))
  }

  async #tell(
    sessionId: string,
    method: string,
    params: object = {},
  ): Promise<Profiler.TakePreciseCoverageReturnType> {
    const id = ++this.#id
    const { promise, resolve } = Promise.withResolvers<Profiler.TakePreciseCoverageReturnType>()
    this.#waiting.set(id, resolve)
    await this.#session.post('NodeWorker.sendMessageToWorker', {
      sessionId,
      message: JSON.stringify({ id, method, params }),
    })
    return promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.post('NodeWorker.disable')
    this.#session.disconnect()
  }
}
