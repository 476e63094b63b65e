import assert from 'node:assert/strict'
import type { Client } from '@modelcontextprotocol/client'
import type { Visitor } from './authorization-world.ts'
import type { Seen } from './mcp-client.ts'
import { type PrintedCall, printedIn } from './printed.ts'

interface Walker {
  call(tool: string, args: Record<string, unknown>): Promise<Seen>
  read(uri: string): Promise<unknown>
}

/** A client that sees both channels. */
export function walkerOf(client: Client): Walker {
  return {
    async call(name, args): Promise<Seen> {
      const result = await client.callTool({ name, arguments: args })
      const [first] = result.content as { text: string }[]
      return {
        result,
        text: first?.text ?? '',
        structured: result.structuredContent,
        isError: result.isError === true,
      }
    },
    read: uri => client.readResource({ uri }),
  }
}

/** How much a walk followed. A walk that finds nothing to follow proves nothing. */
export interface Walked {
  calls: number
  links: number
  passages: number
  resources: number
}

/** Makes every printed call, breadth first, and opens every link and resource. */
export async function walk(
  client: Walker,
  { owner, token, url }: { owner: Visitor; token: string; url: string },
  starts: readonly PrintedCall[],
  most: number,
): Promise<Walked> {
  const walked: Walked = { calls: 0, links: 0, passages: 0, resources: 0 }
  const queue = [...starts]
  const known = new Set(queue.map(keyOf))
  const opened = new Set<string>()
  for (let next = queue.shift(); next && walked.calls < most; next = queue.shift()) {
    const seen = await client.call(next.tool, next.args)
    const told = `${next.tool} ${JSON.stringify(next.args)}`
    assert.ok(!seen.isError, `${told}\n${seen.text.slice(0, 400)}`)
    walked.calls++
    const { calls, links, resources } = printedIn(seen, next)
    for (const call of calls) {
      if (known.has(keyOf(call))) continue
      known.add(keyOf(call))
      queue.push(call)
    }
    for (const link of links) {
      if (opened.has(link)) continue
      opened.add(link)
      walked.links++
      if (await open(link, { owner, token, url }, told)) walked.passages++
    }
    for (const uri of resources) {
      if (opened.has(uri)) continue
      opened.add(uri)
      walked.resources++
      await client.read(uri).catch((error: unknown) => assert.fail(`${told}: ${uri}: ${error}`))
    }
  }
  return walked
}

function keyOf({ tool, args }: PrintedCall): string {
  // A cursor is a different text each time.
  const { cursor, ...rest } = args
  return `${tool} ${JSON.stringify(Object.entries(rest).sort())} ${cursor === undefined ? '' : String(cursor)}`
}

/** Opens a link as a person would, or downloads it as the client. Returns whether it opened a marked passage. */
async function open(
  link: string,
  { owner, token, url }: { owner: Visitor; token: string; url: string },
  told: string,
): Promise<boolean> {
  assert.ok(link.startsWith(`${url}/`), `${told}: ${link}`)
  const { pathname, search, searchParams } = new URL(link)
  if (pathname.startsWith('/v1/')) {
    const { status } = await fetch(link, { headers: { Authorization: `Bearer ${token}` } })
    assert.equal(status, 200, `${told}: ${link}`)
    return false
  }
  const page = await owner.get(pathname + search)
  assert.equal(page.status, 200, `${told}: ${link}`)
  if (!searchParams.has('f')) return false
  assert.match(page.html, /<mark/, `${told}: ${link} marks nothing`)
  return true
}
