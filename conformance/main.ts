import { parseArgs } from 'node:util'
import { rowOutcomes, runChecks } from './check.ts'
import { CHECKS } from './checks.ts'
import { jsonOf, tableOf } from './report.ts'
import { Scratch } from './scratch.ts'
import { Target } from './target.ts'

const USAGE = `Usage: npm run pdpp-conformance -- --url URL [--token T] [--owner-token T] [--client-id ID] [--write] [--json]
At least one of --token and --write is needed; --write needs --owner-token.`

process.exitCode = await run(process.argv.slice(2))

async function run(args: string[]): Promise<number> {
  const given = givenIn(args)
  if (given === null) {
    console.error(USAGE)
    return 2
  }
  const target = new Target(given)
  try {
    await target.request('/v1/streams', null)
    if (given.write) target.scratch = await Scratch.make(target)
    const { scratch } = target
    if (given.token === null && scratch) given.token = (await scratch.grant()).token
  } catch (error) {
    console.error(`The server at ${given.url} cannot be tested: ${String(error)}`)
    return 2
  }
  const rows = rowOutcomes(await runChecks(CHECKS, target))
  await target.scratch?.remove()
  console.log(given.json ? jsonOf(given.url, rows) : tableOf(rows))
  return rows.some(({ state }) => state === 'fail') ? 1 : 0
}

function givenIn(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        url: { type: 'string' },
        token: { type: 'string' },
        'owner-token': { type: 'string' },
        'client-id': { type: 'string' },
        write: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    })
    const { url, token = null, write, json } = values
    const ownerToken = values['owner-token'] ?? null
    if (url === undefined || !URL.canParse(url)) return null
    if (write ? ownerToken === null : token === null) return null
    return { url, token, ownerToken, clientId: values['client-id'] ?? null, write, json }
  } catch {
    return null
  }
}
