import type fc from 'fast-check'

/** Made input for one part of the server. `T` can be written as JSON, so that what fails becomes a fixture. */
export interface Fuzzer<T> {
  name: string
  start(): Promise<Fuzzing<T>>
}

export interface Fuzzing<T> extends AsyncDisposable {
  input: fc.Arbitrary<T>
  /** Throws for an input that the part does not answer as it should. */
  check(input: T): Promise<void>
}

export const NOTHING_TO_STOP = { async [Symbol.asyncDispose]() {} }
