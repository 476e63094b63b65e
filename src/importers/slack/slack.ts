import type { Finding, Recognise } from '../importer.ts'
import { findingOf } from '../reading/exported-files.ts'
import { listedObjects } from '../reading/json-objects.ts'
import type { SourceFile } from '../source/source.ts'
import { SLACK } from './declaration.ts'
import { type Layout, layoutOf } from './layout.ts'
import { text } from './people.ts'
import { slackReader } from './read.ts'

const MESSAGE_BYTES = 450
/** The name of the archive begins with the workspace: `Acme Slack export Jan 1 2026 - Feb 1 2026`. */
const NAMED_EXPORT = /^(.+?)[ _]Slack[ _]export[ _]/i

export const recognise: Recognise = async (_, source) => {
  const layout = await layoutOf(source)
  if (layout === null || 'lookalike' in layout) return layout
  const days = layout.channels.flatMap(({ files }) => files)
  return findingOf(SLACK, [...layout.lists.values(), ...days], MESSAGE_BYTES, () => slackReader(layout), {
    beside: [...layout.uploads.values(), ...layout.others],
    span: spanOf(days),
    account: await workspaceOf(layout),
    name: NAMED_EXPORT.exec(source.name)?.[1] ?? null,
  })
}

/** The first and last day, from the names of the files. */
function spanOf(days: readonly SourceFile[]): Finding['span'] {
  const dates = days.flatMap(({ path }) => /(\d{4}-\d{2}-\d{2})\.json$/.exec(path)?.[1] ?? []).sort()
  const [first] = dates
  const last = dates.at(-1)
  return first && last ? { first: `${first}T00:00:00Z`, last: `${last}T23:59:59Z` } : null
}

/** The id of the workspace, from its users. Guests of shared channels have a different one. */
async function workspaceOf(layout: Layout): Promise<string | null> {
  const users = layout.lists.get('users.json')
  if (!users) return null
  try {
    for await (const { value: user } of listedObjects(users, 'item'))
      if (user && user.is_stranger !== true && text(user.team_id)) return text(user.team_id)
  } catch {
    // The problem is reported when the file is read.
  }
  return null
}
