import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  type JsonSchemaType,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const codec = createRequestStateCodec<{ round: number }>({ key: Buffer.alloc(32, 7) })

const text = (value: string) => ({ type: 'text' as const, text: value })
const image = { type: 'image' as const, data: PIXEL, mimeType: 'image/png' }
const said = (value: string) => ({ content: [text(value)] })
const pause = () => new Promise(resolve => setTimeout(resolve, 20))
const user = <Content>(content: Content) => ({ role: 'user' as const, content })

const ask = (message: string, field: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  })
const sample = (question: string) =>
  inputRequired.createMessage({ messages: [user(text(question))], maxTokens: 100 })

/** The schema whose keywords must reach the client unchanged. */
const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

type Answer = ReturnType<typeof said> | ReturnType<typeof inputRequired>
type Work = (
  context: ServerContext,
) => Answer | Promise<Answer | { content: object[] }> | { content: object[] }

/** The tools that the scenarios of the conformance suite call, by name. */
const TOOLS: Record<string, Work> = {
  test_simple_text: () => said('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: () => {
    throw new Error('This tool intentionally returns an error for testing')
  },
  async test_tool_with_logging({ mcpReq }) {
    for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', message)
      await pause()
    }
    return said('Logged.')
  },
  async test_logging_tool({ mcpReq }) {
    await mcpReq.log('info', 'Heard only by those who asked')
    return said('Logged.')
  },
  async test_tool_with_progress({ mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        })
      await pause()
    }
    return said('Done.')
  },
  test_missing_capability: () => inputRequired({ inputRequests: { question: sample('Can you?') } }),
  test_streaming_elicitation: () =>
    inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } }),
  test_input_required_result_elicitation({ mcpReq }) {
    const name = acceptedContent(mcpReq.inputResponses, 'user_name')?.name
    if (typeof name === 'string') return said(`Hello, ${name}!`)
    return inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } })
  },
  test_input_required_result_sampling({ mcpReq }) {
    if (has(mcpReq, 'capital_question')) return said('Sampled.')
    return inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?') } })
  },
  test_input_required_result_list_roots({ mcpReq }) {
    if (has(mcpReq, 'client_roots')) return said('Roots.')
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  },
  test_input_required_result_request_state: confirm,
  test_input_required_result_tampered_state: confirm,
  async test_input_required_result_multiple_inputs({ mcpReq }) {
    if (['user_name', 'greeting', 'client_roots'].every(key => has(mcpReq, key))) return said('All there.')
    return inputRequired({
      inputRequests: {
        user_name: ask('What is your name?', 'name'),
        greeting: sample('Generate a greeting'),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await codec.mint({ round: 1 }),
    })
  },
  async test_input_required_result_multi_round({ mcpReq }) {
    const round = mcpReq.requestState<{ round: number }>()?.round ?? 0
    if (round === 2 && has(mcpReq, 'step2')) return said('Three rounds.')
    const [key, question, field] =
      round === 0
        ? ['step1', 'Step 1: What is your name?', 'name']
        : ['step2', 'Step 2: What is your favorite color?', 'color']
    return inputRequired({
      inputRequests: { [key as string]: ask(question as string, field as string) },
      requestState: await codec.mint({ round: round + 1 }),
    })
  },
  test_input_required_result_capabilities({ mcpReq }) {
    const { sampling, elicitation } = capabilities(mcpReq)
    return inputRequired({
      inputRequests: {
        ...(sampling ? { capital_question: sample('What is the capital of France?') } : {}),
        ...(elicitation ? { user_name: ask('What is your name?', 'name') } : {}),
      },
    })
  },
  json_schema_2020_12_tool: () => said('Valid.'),
  test_custom_header: () => said('The header is the argument.'),
}

const INPUTS: Record<string, object> = {
  json_schema_2020_12_tool: SCHEMA_2020_12,
  test_custom_header: {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  },
}

/** A server with everything that the conformance suite requires but Footnote does not need. */
export function createConformanceFixture(): McpServer {
  const server = new McpServer(
    { name: 'conformance-fixture', version: '1' },
    {
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: false, subscribe: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: codec.verify },
    },
  )
  for (const [name, work] of Object.entries(TOOLS)) {
    const inputSchema = fromJsonSchema((INPUTS[name] ?? { type: 'object' }) as JsonSchemaType)
    server.registerTool(name, { description: name, inputSchema }, (_, context) => work(context) as never)
  }
  addResources(server)
  addPrompts(server)
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['test'], total: 1, hasMore: false },
  }))
  return server
}

function addResources(server: McpServer): void {
  server.registerResource('static-text', 'test://static-text', { description: 'text' }, ({ href }) => ({
    contents: [
      { uri: href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
    ],
  }))
  server.registerResource('static-binary', 'test://static-binary', { description: 'bytes' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: PIXEL }],
  }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('template', template, { description: 'template' }, ({ href }, { id }) => ({
    contents: [
      {
        uri: href,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      },
    ],
  }))
  server.server.setRequestHandler('resources/subscribe', () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', () => ({}))
}

function addPrompts(server: McpServer): void {
  const strings = (...names: string[]) =>
    fromJsonSchema<Record<string, string>>({
      type: 'object',
      properties: Object.fromEntries(names.map(name => [name, { type: 'string' }])),
      required: names,
    } as JsonSchemaType)
  server.registerPrompt('test_simple_prompt', { description: 'simple' }, () => ({
    messages: [user(text('This is a simple prompt for testing.'))],
  }))
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'arguments', argsSchema: strings('arg1', 'arg2') },
    ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'resource', argsSchema: strings('resourceUri') },
    ({ resourceUri = '' }) => ({
      messages: [
        user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'image' }, () => ({
    messages: [user(image), user(text('Please analyze the image above.'))],
  }))
  server.registerPrompt('test_input_required_result_prompt', { description: 'asks' }, ({ mcpReq }) => {
    const context = acceptedContent(mcpReq.inputResponses, 'user_context')?.context
    if (typeof context === 'string') return { messages: [user(text(context))] }
    return inputRequired({
      inputRequests: { user_context: ask('What context should the prompt use?', 'context') },
    })
  })
}

async function confirm({ mcpReq }: ServerContext): Promise<Answer> {
  if (has(mcpReq, 'confirm') && mcpReq.requestState<{ round: number }>()?.round === 1) return said('state-ok')
  return inputRequired({
    inputRequests: { confirm: ask('Please confirm', 'ok') },
    requestState: await codec.mint({ round: 1 }),
  })
}

function has({ inputResponses }: ServerContext['mcpReq'], key: string): boolean {
  return inputResponse(inputResponses, key).kind !== 'missing'
}

function capabilities({ envelope }: ServerContext['mcpReq']): { sampling?: object; elicitation?: object } {
  return (envelope as Record<string, object> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
}

function embedded(uri: string, mimeType: string, value: string) {
  return { type: 'resource' as const, resource: { uri, mimeType, text: value } }
}
