import { ERRORS } from '../model/errors.ts'
import type { Route } from './routes.ts'

type Described = Pick<Route, 'method' | 'path' | 'parameters' | 'access'>

/** Parameters that are whole numbers; all others are texts. */
const NUMBERS = new Set([
  'limit',
  'windows',
  'window_chars',
  'max_field_chars',
  'offset_chars',
  'limit_chars',
  'before_chars',
  'after_chars',
])
const REPEATED = new Set(['streams'])
const BODIES: Record<string, string> = {
  '/v1/ingest/:stream': 'application/x-ndjson',
  '/v1/blobs': 'application/octet-stream',
}

/** The routes as an OpenAPI document. */
export function openApi(routes: readonly Described[], version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
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
        Refusal: { description: 'A typed refusal', content: jsonOf({ $ref: '#/components/schemas/Error' }) },
      },
      schemas: { Error: ERROR },
    },
  }
}

const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['type', 'code', 'message', 'request_id'],
      properties: {
        type: { type: 'string' },
        code: { type: 'string', examples: Object.keys(ERRORS).sort() },
        message: { type: 'string' },
        param: { type: 'string' },
        request_id: { type: 'string' },
      },
    },
  },
}

function operation({ method, path, parameters, access }: Described): object {
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const takesBody = method === 'POST' || method === 'PATCH'
  return {
    operationId: operationId(method, path),
    ...(access === 'public'
      ? { security: [] }
      : { security: [{ [access === 'owner' ? 'owner' : 'client']: [] }] }),
    parameters: [...named, ...parameters.map(queryParameter)],
    ...(takesBody ? { requestBody: { required: true, content: bodyOf(path) } } : {}),
    responses: {
      '2XX': { description: 'Done' },
      default: { $ref: '#/components/responses/Refusal' },
    },
  }
}

function operationId(method: string, path: string): string {
  const words = path.split(/[/:._-]+/).filter(word => word !== '' && word !== 'v1')
  return [method.toLowerCase(), ...words].join('_')
}

function queryParameter(name: string): object {
  if (name === 'filter') {
    const schema = { type: 'object', additionalProperties: true }
    return { name, in: 'query', style: 'deepObject', explode: true, schema }
  }
  const type = NUMBERS.has(name) ? 'integer' : 'string'
  return { name, in: 'query', schema: REPEATED.has(name) ? { type: 'array', items: { type } } : { type } }
}

function bodyOf(path: string): object {
  const type = BODIES[path]
  return type === undefined ? jsonOf({ type: 'object' }) : { [type]: {} }
}

function jsonOf(schema: object): object {
  return { 'application/json': { schema } }
}
