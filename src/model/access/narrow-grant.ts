import { type Declaration, requiredFields, streamOf } from '../declaration/declaration.ts'
import { invalidRequest } from '../errors.ts'
import { instantKey } from '../time.ts'
import { type GrantedStream, timeConstraint } from './grant.ts'

/** What to keep of a granted stream. A member that is left out stays unchanged. */
interface KeptStream {
  name: string
  fields?: readonly string[] | null
  since?: string | null
}

/** The streams of a grant, narrowed. The result never includes anything that the grant did not. */
export function narrowedStreams(
  granted: readonly GrantedStream[],
  kept: readonly KeptStream[],
  declaration: Declaration | undefined,
): GrantedStream[] {
  return kept.map(({ name, fields, since }) => {
    const stream = granted.find(each => each.name === name)
    if (!stream) throw invalidRequest(`The grant does not open the stream ${name}.`, 'streams')
    const declared = declaration && streamOf(declaration, name)
    if (since && !declared) throw invalidRequest(`The times of the stream ${name} are not known.`, 'since')
    const hidden = fields?.find(field => !stream.fields.includes(field))
    if (hidden !== undefined) throw invalidRequest(`The grant does not open the field ${hidden}.`, 'fields')
    if (fields && declared && !declared.selection.fields && fields.length < stream.fields.length)
      throw invalidRequest(`Stream ${name} can only be granted with all its fields.`, 'fields')
    const required = new Set(declared ? requiredFields(declared) : [])
    const left = fields ? stream.fields.filter(each => fields.includes(each) || required.has(each)) : null
    return {
      ...stream,
      ...(left ? { fields: left } : {}),
      ...(since && declared ? laterStart(stream, timeConstraint(declared, since, null)) : {}),
    }
  })
}

/** The time bounds of a stream with a later start. The end is unchanged. */
function laterStart(
  { time_constraint: before }: GrantedStream,
  { time_constraint: wanted }: Pick<GrantedStream, 'time_constraint'>,
): Pick<GrantedStream, 'time_constraint'> {
  if (!wanted?.since) return {}
  const [from, to] = [instantKey(before?.since ?? ''), instantKey(wanted.since)]
  if (from !== null && to !== null && to < from) return {}
  return { time_constraint: { ...before, ...wanted } }
}
