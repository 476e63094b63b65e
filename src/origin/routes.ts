import type { OriginPart, OriginRoute } from '../api/origin-route.ts'
import { refusalIn } from '../api/route.ts'
import type { Access } from '../model/access/enforce.ts'
import { Authorizer } from '../resource-server/request/authorizer.ts'
import type { Environment, ResourceSettings } from '../resource-server/request/context.ts'
import { resourcePart } from '../resource-server/resource-part.ts'
import { type Admit, type Answered, createDispatcher, type Dispatch } from './dispatcher.ts'
import { type McpSettings, mcpPart } from './mcp.ts'

/** What the resource server and the MCP adapter are built from. */
export interface OriginEnvironment extends Environment {
  settings: ResourceSettings & McpSettings
}

/** Reads with this access, to show the owner what a client would see. */
export type Reader = (access: Access, path: string, request_id?: string) => Promise<unknown>

/** Sends a request inside this process with this access in place of a token. */
export type Sender = (access: Access, request: Request, request_id?: string) => Promise<Response>

export interface Origin {
  /** Every route, with who may call it. */
  routes: readonly OriginRoute[]
  dispatch: Dispatch
  close(): Promise<void>
}

/** Combines the routes of all parts. A command leaves out the pages. */
export function createOrigin(
  env: OriginEnvironment,
  pages: (read: Reader, send: Sender) => readonly OriginPart[] = () => [],
  admit: Admit = () => {},
  answered: (answer: Answered) => void = () => {},
): Origin {
  const authorizer = new Authorizer(env)
  const dispatch: Dispatch = (request, entrance) => dispatcher(request, entrance)
  const send: Sender = (access, request, request_id) => {
    authorizer.vouch(request, access)
    return dispatch(request, request_id === undefined ? {} : { request_id })
  }
  const read: Reader = async (access, path, request_id) => {
    const response = await send(access, new Request(env.publicUrl + path), request_id)
    const body = await response.json()
    if (!response.ok) throw refusalIn(body)
    return body
  }
  const mcp = mcpPart(env, authorizer, dispatch)
  const parts = [resourcePart(env, authorizer), mcp, ...pages(read, send)] as const
  const dispatcher = createDispatcher(parts, env.report, admit, answered)
  return {
    routes: parts.flatMap(part => part.routes),
    dispatch: dispatcher,
    close: mcp.close,
  }
}
