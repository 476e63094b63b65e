import type fc from 'fast-check'

/** Generated input for one part of the server. `T` can be written as JSON, so that failing input becomes a fixture. */
export interface Fuzzer<T> {
  name: string
  start(): Promise<Fuzzing<T>>
}

interface Fuzzing<T> extends AsyncDisposable {
  input: fc.Arbitrary<T>
  /** Throws if the part does not handle the input correctly. */
  check(input: T): Promise<void>
}

export const NOTHING_TO_STOP = { async [Symbol.asyncDispose]() {} }
