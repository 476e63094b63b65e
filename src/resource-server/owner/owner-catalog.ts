import { CodedError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import { type ConnectionRow, listConnections, listDeclarations } from '../../store/records/catalog.ts'
import { readJson } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import { invalid } from '../request/parameters.ts'
import { empty, json, list, type Reply } from '../request/responses.ts'

export async function registerDeclaration(context: RequestContext): Promise<Reply> {
  const { text } = await readJson(context.request, null)
  const args = { owner_id: context.owner_id, content: text, now: context.now.toISOString() }
  const { created, connector_key, version } = await context.store.writer.call('registerDeclaration', args)
  if (created) context.store.refreshIndexes().catch(error => context.env.report(error, context.request_id))
  return json({ object: 'declaration', connector_key, version, created }, created ? 201 : 200)
}

export async function readDeclarations(context: RequestContext): Promise<Reply> {
  return list(await listDeclarations(context.store.database, context.owner_id))
}

export async function createConnection(context: RequestContext): Promise<Reply> {
  const { body } = await readJson(context.request, ['connector_key', 'display_name'])
  const connector_key = textOf(body.connector_key, 'connector_key')
  const display_name = textOf(body.display_name ?? connector_key, 'display_name')
  const args = { owner_id: context.owner_id, connector_key, display_name, now: context.now.toISOString() }
  return json(shown(await context.store.writer.call('createConnection', args)), 201)
}

export async function readConnections(context: RequestContext): Promise<Reply> {
  return list((await listConnections(context.store.database, context.owner_id)).map(shown))
}

export async function readConnection(context: RequestContext): Promise<Reply> {
  return json(shown(await findConnection(context)))
}

export async function changeConnection(context: RequestContext): Promise<Reply> {
  const { body } = await readJson(context.request, ['display_name'])
  const display_name = textOf(body.display_name, 'display_name')
  const connection = await findConnection(context)
  const { connection_id } = connection
  await context.store.writer.call('renameConnection', {
    owner_id: context.owner_id,
    connection_id,
    display_name,
  })
  return json(shown({ ...connection, display_name }))
}

export async function deleteConnection(context: RequestContext): Promise<Reply> {
  const connection_id = context.path.connection_id ?? ''
  await context.store.writer.call('deleteConnection', { owner_id: context.owner_id, connection_id })
  return empty(204)
}

async function findConnection(context: RequestContext): Promise<ConnectionRow> {
  const { connection_id } = context.path
  const connections = await listConnections(context.store.database, context.owner_id)
  const connection = connections.find(candidate => candidate.connection_id === connection_id)
  if (!connection) throw new CodedError('connection_not_found', `There is no connection ${connection_id}.`)
  return connection
}

function shown(connection: ConnectionRow) {
  return { object: 'connection', ...connection }
}

function textOf(value: Json | undefined, name: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= 200) return value
  throw invalid(`${name} is a text of 1 to 200 characters.`, name)
}
