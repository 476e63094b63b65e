import type { ImportEvent, Recognise } from '../importer.ts'
import type { SourceFile } from '../source/source.ts'
import { MAIL } from './declaration.ts'
import { readMail } from './read.ts'
import { NAMED_MAIL } from './sign.ts'
import { surveyOf } from './survey.ts'

/**
 * Mail of every kind in the source is imported together, under the format that most messages have, so a folder may
 * contain both mailboxes and single messages.
 */
export const recognise: Recognise = async (signed, source, format) => {
  const survey = await surveyOf(source)
  if (survey === null) {
    const files = signed.filter(({ path }) => NAMED_MAIL.test(path))
    const [named] = files
    const reason = named?.size === 0 ? 'is empty' : 'is named like mail but does not begin with mail headers'
    return named && format === 'mbox' ? { lookalike: `${named.path} ${reason}.`, files } : null
  }
  if (survey.format !== format) return null
  const { files, items, exact, span, lookalikes } = survey
  return {
    files: [...files.map(({ file }) => file), ...lookalikes],
    items,
    exact,
    span,
    declaration: MAIL,
    account: null,
    name: null,
    async *read(from) {
      if (from === null) yield* refused(lookalikes)
      yield* readMail(files, from)
    },
  }
}

function* refused(files: readonly SourceFile[]): Generator<ImportEvent> {
  for (const { path, size } of files) {
    const message = size === 0 ? 'The file is empty.' : 'The file does not begin with mail headers.'
    yield { kind: 'rejection', place: path, code: 'not_mail', message }
  }
}
