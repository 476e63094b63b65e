import type { Catalog } from '../model/access/enforce.ts'
import type { FindDeclaration } from '../model/access/selection-request.ts'

/**
 * The parameter of a pending request in which the server stores the versions of the declarations that the request was
 * checked against. Anything that a client sends in it is overwritten.
 */
export const PINNED_DECLARATIONS = 'pinned_declarations'

/** Records the version of each declaration that is looked up. */
export class DeclarationPins {
  readonly #versions: Record<string, string> = {}
  readonly #find: FindDeclaration

  constructor(find: FindDeclaration) {
    this.#find = find
  }

  readonly find: FindDeclaration = source_id => {
    const declaration = this.#find(source_id)
    if (declaration) this.#versions[source_id] = declaration.declaration_version
    return declaration
  }

  toString(): string {
    return JSON.stringify(this.#versions)
  }
}

/** Finds the declarations of a request as they were when it was checked, even if newer ones were published since. */
export function pinnedDeclarations(catalog: Catalog, pins: unknown): FindDeclaration {
  const versions = new Map(Object.entries(JSON.parse(String(pins ?? '{}')) as Record<string, string>))
  return source_id => {
    const version = versions.get(source_id)
    return version === undefined ? undefined : catalog.declaration(source_id, version)
  }
}
