import { request } from 'node:http'

export interface Heard {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** A request from another loopback address, as if from another computer. */
export function askFrom(
  address: string,
  url: string,
  init: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Heard> {
  const { method = 'GET', headers = {}, body } = init
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      { method, headers: { ...headers, ...length }, localAddress: address },
      response => {
        const chunks: string[] = []
        response.setEncoding('utf8').on('data', chunk => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: chunks.join('') }),
        )
      },
    )
    asked.on('error', reject).end(body)
  })
}

export const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
export const JSON_TYPE = { 'Content-Type': 'application/json' }
