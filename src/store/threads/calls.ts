import type { READS } from './reads.ts'
import type { SINKS, WRITES } from './writes.ts'

/** What each kind of thread does. A thread loads only the code of its own kind. */
interface Calls {
  writer: typeof WRITES
  reader: typeof READS
}

export type ThreadRole = keyof Calls
export type CallName<Role extends ThreadRole> = keyof Calls[Role]
type Call<Role extends ThreadRole, Name extends CallName<Role>> = Calls[Role][Name] extends (
  ...args: infer Args
) => infer Result
  ? { args: Args; result: Result }
  : never
export type CallArgs<Role extends ThreadRole, Name extends CallName<Role>> = Call<Role, Name>['args'][1]
export type CallResult<Role extends ThreadRole, Name extends CallName<Role>> = Awaited<
  Call<Role, Name>['result']
>

/** Receives a stream of bytes and returns a result at its end. */
export interface Sink<Result = unknown> {
  write(chunk: Uint8Array): Promise<void>
  end(): Promise<Result>
}

export type SinkName = keyof typeof SINKS
export type SinkArgs<Name extends SinkName> = Parameters<(typeof SINKS)[Name]>[1]
export type SinkResult<Name extends SinkName> = Awaited<ReturnType<ReturnType<(typeof SINKS)[Name]>['end']>>
