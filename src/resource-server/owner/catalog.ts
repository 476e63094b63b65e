import * as api from '../../api/owner/catalog.ts'
import { connectorKeyOf } from '../../model/declaration/declaration.ts'
import { noConnection } from '../../model/errors.ts'
import { type ConnectionRow, listConnections, listDeclarations } from '../../store/records/catalog.ts'
import { type RequestContext, serve } from '../request/context.ts'
import { empty, json } from '../request/responses.ts'

export const registerDeclaration = serve(api.registerDeclaration, async context => {
  const content = JSON.stringify(await context.body())
  const { created, declaration } = await context.write('registerDeclaration', { content })
  if (created) context.store.refreshIndexes().catch(error => context.env.report(error, context.request_id))
  const { source, declaration_version } = declaration
  const named = { source_id: source.id, connector_key: connectorKeyOf(source.id), declaration_version }
  return json({ object: 'declaration', ...named, created }, created ? 201 : 200)
})

export const readDeclarations = serve(api.listDeclarations, async context =>
  context.list(await listDeclarations(context.store.database, context.owner_id)),
)

export const createConnection = serve(api.createConnection, async context => {
  const { source_id, display_name } = await context.body()
  const named = { source_id, display_name: display_name ?? connectorKeyOf(source_id) }
  return json(describe(await context.write('createConnection', named)), 201)
})

export const readConnections = serve(api.listConnections, async context =>
  context.list((await listConnections(context.store.database, context.owner_id)).map(describe)),
)

export const readConnection = serve(api.readConnection, async context =>
  json(describe(await findConnection(context, context.path.connection_id))),
)

export const changeConnection = serve(api.changeConnection, async context => {
  const { display_name } = await context.body()
  const connection = await findConnection(context, context.path.connection_id)
  await context.write('renameConnection', { connection_id: connection.connection_id, display_name })
  return json(describe({ ...connection, display_name }))
})

export const deleteConnection = serve(api.deleteConnection, async context => {
  await context.write('deleteConnection', context.path)
  // Positions contain record ids, perhaps of this connection.
  await context.store.ledger.positions.forget(context.owner_id)
  return empty(204)
})

async function findConnection(
  { store, owner_id }: RequestContext,
  connection_id: string,
): Promise<ConnectionRow> {
  const connections = await listConnections(store.database, owner_id)
  const connection = connections.find(candidate => candidate.connection_id === connection_id)
  if (!connection) throw noConnection(connection_id)
  return connection
}

function describe(connection: ConnectionRow) {
  return { object: 'connection', ...connection } as const
}
