import { type Check, check, expect, expectEqual, notSeen } from '../check.ts'
import { newId } from '../scratch.ts'
import { DECLARATION } from '../scratch-declaration.ts'
import type { Loose, Target } from '../target.ts'

/** The declaration of the suite with one change, under a version that the server does not know. */
function changed(change: (declaration: Loose) => void): Loose {
  const copy = structuredClone(DECLARATION)
  copy.declaration_version = newId()
  change(copy)
  return copy
}

async function expectRefused(
  target: Target,
  what: string,
  change: (declaration: Loose) => void,
): Promise<void> {
  const { status } = await target.own.declare(changed(change))
  expectEqual(status, 400, `The status of a declaration with ${what}`)
}

const refusing = (rows: string, title: string, wrong: Record<string, (declaration: Loose) => void>) =>
  check(rows, title, async target => {
    for (const [what, change] of Object.entries(wrong)) await expectRefused(target, what, change)
  })

const walks = (declaration: Loose) => declaration.streams[2]

async function kept(target: Target): Promise<Loose> {
  const { body } = await target.owner('/v1/owner/declarations')
  const { id } = DECLARATION.source
  const of = (each: Loose) => each.declaration ?? each
  const found = body?.data
    ?.map(of)
    .find((each: Loose) => each.source?.id === id && each.declaration_version === '1')
  return found ?? notSeen('The server does not show the declarations that it keeps.')
}

export const DECLARATIONS: readonly Check[] = [
  refusing('PC-27', 'a declaration of another shape is refused', {
    'another protocol_version': d => (d.protocol_version = '9'),
    'no source': d => delete d.source,
    'a source id that is not a URI': d => (d.source.id = 'walks'),
    'an unknown member': d => (d.connector_id = 'walks'),
    'no publisher': d => delete d.publisher,
  }),
  refusing('PC-28', 'semantics and selection are required and valid', {
    'unknown semantics': d => (walks(d).semantics = 'sometimes'),
    'half a selection': d => (walks(d).selection = { fields: true }),
  }),
  refusing('PC-29', 'stream names are unique and not *', {
    'a stream twice': d => d.streams.push(walks(d)),
    'a stream named *': d => (walks(d).name = '*'),
  }),
  refusing('PC-30', 'undeclared fields are refused', {
    'an undeclared key': d => (walks(d).primary_key = ['nowhere']),
    'an undeclared cursor field': d => (walks(d).cursor_field = 'nowhere'),
    'an undeclared consent time': d => (walks(d).consent_time_field = 'nowhere'),
    'a view of an undeclared field': d => (walks(d).views[0].fields = ['nowhere']),
  }),
  refusing('PC-31', 'other drafts and invalid schemas are refused', {
    'draft-07': d => (walks(d).schema.$schema = 'http://json-schema.org/draft-07/schema#'),
    'an invalid schema': d => (walks(d).schema.properties.km = { type: 'kilometre' }),
  }),
  refusing('PC-32', 'references to elsewhere are refused', {
    'a reference to elsewhere': d => (walks(d).schema.properties.km = { $ref: 'https://example.org/km' }),
  }),
  refusing('PC-33', 'a preset that names a stream twice is refused', {
    'a stream twice in a preset': d => d.selection_presets[0].streams.push({ name: 'walks' }),
  }),
  check('PC-34', 'extensions are kept as they are', async target => {
    expect(target.own, '')
    expectEqual((await kept(target)).extensions, DECLARATION.extensions, 'extensions')
  }),
  check('PC-37', 'other content under a known version is refused', async target => {
    const other = structuredClone(DECLARATION)
    walks(other).schema.properties.weather = { type: 'string' }
    const { status } = await target.own.declare(other)
    expectEqual(status, 409, 'The status of other content under a known version')
    expectEqual((await target.own.declare(DECLARATION)).status < 300, true, 'Whether the old one stays')
  }),
  refusing('PC-38', 'texts without bounds are refused', {
    'a label of 20,000 characters': d => (walks(d).display = { label: 'x'.repeat(20_000) }),
  }),
]
