import type { Parameter } from '../src/api/parameter.ts'
import type { Route } from '../src/api/route.ts'
import { ERRORS } from '../src/model/errors.ts'

type Schemas = Record<string, unknown>

/** The contracts as an OpenAPI document. */
export function openApi(routes: readonly Route[], version: string): object {
  const schemas: Schemas = { Error: ERROR }
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Footnote',
      version,
      description: 'Records under grants. docs/reference/http-api.md says what each route does.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths,
    components: {
      securitySchemes: {
        client: { type: 'http', scheme: 'bearer', description: 'A client token, or an owner token' },
        owner: { type: 'http', scheme: 'bearer', description: 'An owner token' },
      },
      responses: {
        Refusal: {
          description: 'A typed refusal',
          content: contentOf({ $ref: '#/components/schemas/Error' }, schemas),
        },
      },
      schemas,
    },
  }
}

const TEXT = { type: 'string' }
const each = (schema: object, ...names: string[]) => Object.fromEntries(names.map(name => [name, schema]))
const CONNECTION = {
  type: 'object',
  required: ['connection_id', 'connector_key', 'display_name'],
  properties: each(TEXT, 'connection_id', 'connector_key', 'display_name'),
}

/** The error of every refusal; the members after the first four depend on its code. */
export const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['type', 'code', 'message', 'request_id'],
      properties: {
        type: TEXT,
        code: { type: 'string', examples: Object.keys(ERRORS).sort() },
        message: TEXT,
        request_id: TEXT,
        ...each(TEXT, 'param', 'reason', 'segment', 'digest', 'json_type', 'allow', 'runner'),
        ...each(TEXT, 'connection_id', 'stream', 'record_id', 'field_path', 'owner_page'),
        ...each({ type: 'integer' }, 'size_bytes', 'line'),
        reasons: { type: 'array', items: TEXT },
        available_connections: { type: 'array', items: CONNECTION },
        retry_with: { const: 'connection_id' },
      },
    },
  },
}

function operation(route: Route, schemas: Schemas) {
  const { method, path, access, summary, parameters, body, reply, conditional } = route
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const words = path.split(/[/:._-]+/).filter(word => word !== '' && word !== 'v1')
  return {
    operationId: [method.toLowerCase(), ...words].join('_'),
    summary,
    security: access === 'public' ? [] : [{ [access === 'owner' ? 'owner' : 'client']: [] }],
    parameters: [...named, ...Object.entries(parameters).map(queryParameter)],
    ...(body ? { requestBody: { required: true, content: contentOf(body, schemas) } } : {}),
    responses: {
      '2XX': { description: 'Done', ...(reply ? { content: contentOf(reply, schemas) } : {}) },
      ...(conditional ? { '304': { description: 'Unchanged since the ETag in If-None-Match' } } : {}),
      default: { $ref: '#/components/responses/Refusal' },
    },
  }
}

function queryParameter([name, { schema, required, takes }]: [string, Parameter<unknown>]): object {
  const { description, ...rest } = schema
  return {
    name,
    in: 'query',
    ...(required ? { required } : {}),
    ...(takes === 'fields' ? { style: 'deepObject', explode: true } : {}),
    ...(description ? { description } : {}),
    schema: rest,
  }
}

function contentOf(content: object | string, schemas: Schemas): object {
  if (typeof content === 'string') return { [content]: {} }
  return { 'application/json': { schema: referred(content, schemas) } }
}

/** A schema in which schemas with a title are replaced by references to components. */
function referred(value: unknown, schemas: Schemas): unknown {
  if (Array.isArray(value)) return value.map(item => referred(item, schemas))
  if (typeof value !== 'object' || value === null) return value
  const { title, ...rest } = value as Record<string, unknown>
  const own = Object.fromEntries(Object.entries(rest).map(([key, child]) => [key, referred(child, schemas)]))
  if (typeof title !== 'string')
    return title === undefined ? own : { ...own, title: referred(title, schemas) }
  schemas[title] = own
  return { $ref: `#/components/schemas/${title}` }
}
