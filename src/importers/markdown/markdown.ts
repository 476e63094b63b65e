import type { Recognise } from '../importer.ts'
import { mediaTypeOf } from '../media-type.ts'
import { findingOf } from '../reading/exported-files.ts'
import type { SourceFile } from '../source/source.ts'
import { isText } from '../utf8.ts'
import { MARKDOWN } from './declaration.ts'
import { noteReader } from './read.ts'
import { vaultOf } from './vault.ts'

const HEADS_TO_TRY = 20

export const recognise: Recognise = async (_, source) => {
  const vault = vaultOf(source)
  const [first] = vault.notes
  if (!first) return null
  if (!(await someAreTexts(vault.notes)))
    return { lookalike: `${first.path} is named like a note but is not text.`, files: vault.notes }
  const notes = new Set(vault.notes)
  return findingOf(MARKDOWN, vault.notes, 1, () => noteReader(vault), {
    // Which pictures the notes use is only known after reading them. Documents are also imported separately.
    files: source.files.filter(file => notes.has(file) || isAttachment(file)),
    items: vault.notes.length,
    exact: true,
  })
}

function isAttachment({ path }: SourceFile): boolean {
  return /^(image|audio|video)\//.test(mediaTypeOf(path))
}

async function someAreTexts(notes: readonly SourceFile[]): Promise<boolean> {
  for (const note of notes.slice(0, HEADS_TO_TRY)) {
    const head = await note.head().catch(() => null)
    if (head !== null && isText(head)) return true
  }
  return notes.length > HEADS_TO_TRY
}
