import type { READS } from './reads.ts'
import type { SINKS, WRITES } from './writes.ts'

/** What a thread does. A thread loads only the code of its own role. */
export type ThreadRole = 'writer' | 'reader'

type Call = (database: never, args: never, ...rest: never) => unknown
type Args<C extends Call> = Parameters<C>[1]
type Result<C extends Call> = Awaited<ReturnType<C>>

export type ReadName = keyof typeof READS
export type ReadArgs<Name extends ReadName> = Args<(typeof READS)[Name]>
export type ReadResult<Name extends ReadName> = Result<(typeof READS)[Name]>

export type WriteName = keyof typeof WRITES
export type WriteArgs<Name extends WriteName> = Args<(typeof WRITES)[Name]>
export type WriteResult<Name extends WriteName> = Result<(typeof WRITES)[Name]>

/** Receives a stream of bytes and returns a result at its end. */
export interface Sink<Result = unknown> {
  write(chunk: Uint8Array): Promise<void>
  end(): Promise<Result>
}

export type SinkName = keyof typeof SINKS
export type SinkArgs<Name extends SinkName> = Args<(typeof SINKS)[Name]>
export type SinkResult<Name extends SinkName> = Awaited<ReturnType<ReturnType<(typeof SINKS)[Name]>['end']>>
