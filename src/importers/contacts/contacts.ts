import { record, rejection } from '../events.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { mimeTypeOf } from '../reading/attached-files.ts'
import { findingOf, type ItemsOf } from '../reading/exported-files.ts'
import { blocksIn, blocksOf, type LineBlock } from '../reading/line-blocks.ts'
import { type Identified, readableItems, type VersionOf, versionsIn } from '../reading/versions.ts'
import { recordIdOf } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { type Contact, contactOf } from './contact.ts'
import { CONTACTS } from './declaration.ts'

const CARD_BYTES = 400
const CARDS = new Set(['VCARD'])

export const recognise: Recognise = async files => {
  const begin = async (): Promise<ItemsOf> => {
    const groups = new Groups()
    const versionOf = await versionsIn(files, file => identifiedIn(file, groups))
    if (!groups.isEmpty)
      for await (const contact of readableItems(files, contactsIn)) groups.noteName(contact)
    return async function* (file) {
      for await (const block of blocksOf(file, CARDS))
        yield { events: () => cardEvents(block, file, versionOf, groups), end: block.end }
    }
  }
  return findingOf(CONTACTS, files, CARD_BYTES, begin, await blocksIn(files, CARDS, CARD_BYTES))
}

async function* contactsIn(file: SourceFile): AsyncGenerator<Contact> {
  for await (const { lines } of blocksOf(file, CARDS)) {
    const contact = lines && contactOf(lines)
    if (contact) yield contact
  }
}

async function* identifiedIn(file: SourceFile, groups: Groups): AsyncGenerator<Identified> {
  for await (const contact of contactsIn(file)) {
    groups.noteGroup(contact)
    yield { id: contact.identity, content: () => JSON.stringify(contact.fields) }
  }
}

function* cardEvents(
  { lines, problem, line }: LineBlock,
  file: SourceFile,
  versionOf: VersionOf,
  groups: Groups,
): Generator<ImportEvent> {
  const place = `${file.path}, line ${line}`
  if (lines === null) {
    yield rejection(place, problem)
    return
  }
  const contact = contactOf(lines)
  if (!contact) {
    const message = 'The contact has no name, mail address or phone number.'
    yield rejection(place, { code: 'no_name', message })
    return
  }
  const { picture, fields, identity } = contact
  if (picture) {
    const { blob_id, bytes, mime_type } = picture
    yield { kind: 'blob', mime_type: mimeTypeOf(mime_type), blob_id, bytes }
  }
  const key = recordIdOf('contact', identity, ...versionOf(identity, () => JSON.stringify(fields)))
  yield record('contacts', place, { id: key, ...groups.completed(contact) })
}

/** The groups of an address book and the names of their members. First notes all groups, then all names. */
class Groups {
  readonly #groupsOf = new Map<string, Set<string>>()
  readonly #names = new Map<string, string>()

  get isEmpty(): boolean {
    return this.#groupsOf.size === 0
  }

  noteGroup({ members, fields: { name } }: Contact): void {
    for (const member of members) {
      const key = keyOf(member)
      const groups = this.#groupsOf.get(key) ?? new Set()
      if (typeof name === 'string') groups.add(name)
      this.#groupsOf.set(key, groups)
    }
  }

  noteName({ fields: { source_id, name } }: Contact): void {
    const key = keyOf(source_id)
    if (typeof name === 'string' && this.#groupsOf.has(key)) this.#names.set(key, name)
  }

  /** The fields of a contact, with its groups among its categories and its members by name. */
  completed({ fields, members }: Contact): Contact['fields'] {
    const groups = this.#groupsOf.get(keyOf(fields.source_id)) ?? []
    return {
      ...fields,
      categories: [...new Set([...fields.categories, ...groups])],
      members: members.map(
        member => this.#names.get(keyOf(member)) ?? member.replace(/^(?:mailto|tel):/i, ''),
      ),
    }
  }
}

/** A member is named by its UID, which its own card may write without `urn:uuid:`. */
function keyOf(uid: string | null): string {
  return (uid ?? '').replace(/^urn:uuid:/i, '').toLowerCase()
}
