import type { Finding, ImportEvent, Importer } from '../importer.ts'
import type { SourceFile } from '../source/source.ts'
import { MAIL } from './declaration.ts'
import { readMail } from './read.ts'
import { type MailFormat, surveyOf } from './survey.ts'

/**
 * Mail of every kind in the source is imported together, under the format that most messages have, so a folder may
 * contain both mailboxes and single messages.
 */
function mailImporter(format: MailFormat, label: string): Importer {
  return {
    format,
    label,
    stage: 'files',
    async recognise(source) {
      const survey = await surveyOf(source)
      if (survey === null) {
        const files = source.files.filter(({ path }) => /\.(eml|mbox|mbx)$/i.test(path))
        const [named] = files
        const reason =
          named?.size === 0 ? 'is empty' : 'is named like mail but does not begin with mail headers'
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
      } satisfies Finding
    },
  }
}

function* refused(files: readonly SourceFile[]): Generator<ImportEvent> {
  for (const { path, size } of files) {
    const message = size === 0 ? 'The file is empty.' : 'The file does not begin with mail headers.'
    yield { kind: 'rejection', place: path, code: 'not_mail', message }
  }
}

export const mbox = mailImporter('mbox', 'Mail in mbox files')
export const takeoutMail = mailImporter('google-takeout-mail', 'Mail from Google Takeout')
export const eml = mailImporter('eml', 'Mail, one file per message')
export const maildir = mailImporter('maildir', 'Mail in maildir folders')
