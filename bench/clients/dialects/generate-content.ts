import type { ServerResponse } from 'node:http'
import type { Dialect, Loose } from '../scripted-model.ts'

function stream(response: ServerResponse, part: object): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  const content = { role: 'model', parts: [part] }
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
  const chunk = { candidates: [{ index: 0, content, finishReason: 'STOP' }], usageMetadata }
  response.end(`data: ${JSON.stringify(chunk)}\n\n`)
}

/** The API of Gemini. */
export const GENERATE: Dialect = {
  toolsOf: body =>
    (body.tools ?? []).flatMap(({ functionDeclarations = [] }: Loose) =>
      functionDeclarations.map(({ name }: Loose) => String(name)),
    ),
  resultOf(body) {
    const parts: Loose[] = body.contents?.at(-1)?.parts ?? []
    const found = parts.find(part => part.functionResponse)
    return found ? JSON.stringify(found.functionResponse.response) : null
  },
  writeCall: (response, { id, name, args }) => stream(response, { functionCall: { id, name, args } }),
  writeEnd: response => stream(response, { text: 'Done.' }),
}
