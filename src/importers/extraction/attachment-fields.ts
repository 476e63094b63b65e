import {
  fieldsWithRole,
  propertyOf,
  type StreamDeclaration,
  typesOf,
} from '../../model/declaration/declaration.ts'
import { isObject } from '../../model/json.ts'
import { PAGES, TEXT } from '../field-types.ts'

export const TEXT_FIELD = 'attachment_text'
export const PAGES_FIELD = 'attachment_pages'

/**
 * Declares the texts of a stream's attachments and makes them searchable. A stream without attachments is returned
 * unchanged.
 */
export function withAttachmentTexts(stream: StreamDeclaration): StreamDeclaration {
  if (attachmentField(stream) === undefined) return stream
  const { search } = stream.query ?? {}
  return {
    ...stream,
    schema: {
      ...stream.schema,
      properties: {
        ...stream.schema.properties,
        [TEXT_FIELD]: { type: 'array', items: TEXT, x_pdpp_pages: PAGES_FIELD },
        [PAGES_FIELD]: { type: 'array', items: PAGES },
      },
    },
    query: {
      ...stream.query,
      search: { ...search, lexical_fields: [...(search?.lexical_fields ?? []), TEXT_FIELD] },
    },
  }
}

/** Caches which field of a stream lists the files of a record. */
const attachmentFields = new WeakMap<StreamDeclaration, { field: string | undefined }>()

export function attachmentField(stream: StreamDeclaration): string | undefined {
  let known = attachmentFields.get(stream)
  if (!known) {
    known = { field: findAttachmentField(stream) }
    attachmentFields.set(stream, known)
  }
  return known.field
}

function findAttachmentField(stream: StreamDeclaration): string | undefined {
  return fieldsWithRole(stream, ['attachment']).find(field => {
    const property = propertyOf(stream, field)
    const items = isObject(property?.items) ? property.items : {}
    const members = isObject(items.properties) ? items.properties : {}
    return typesOf(property).includes('array') && Object.hasOwn(members, 'blob_id')
  })
}
