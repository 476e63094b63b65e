import type { Contact } from './contact.ts'

/** The groups of an address book and the names of their members. First notes all groups, then all names. */
export class Groups {
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
