import { fieldWithRole, type StreamDeclaration } from '../declaration/declaration.ts'

/**
 * The model that vectors come from, and the form in which its weights are used. Vectors from another model are out of
 * date.
 */
export const MEANING_MODEL = 'all-MiniLM-L6-v2/1'

/**
 * The meaning of a text as a small vector. Only the angles between vectors count, so each is scaled to the full range.
 */
export type Vector = Int8Array

/** The meaning of a query: a vector, or why there is none. */
export type QueryMeaning = { vector: Vector } | { absent: MeaningAbsence }

/**
 * Why meaning was not used in a search: the model is not running, it did not answer in time, or it does not support the
 * language of the query.
 */
export const MEANING_ABSENCES = ['stopped', 'slow', 'language'] as const
export type MeaningAbsence = (typeof MEANING_ABSENCES)[number]

/** Characters of a record's text that are read for its vector; the model uses fewer. */
export const MEANING_CHARS = 2_000

/**
 * The fields whose text makes the vector of a record: title and text, or every searchable field if the declaration
 * names no text. The vector is not used for a reader who may not see all of them.
 */
export function meaningFields(stream: StreamDeclaration): string[] {
  const searched = stream.query?.search?.lexical_fields ?? []
  const named = [fieldWithRole(stream, 'primary-title'), fieldWithRole(stream, 'primary-text')]
  const text = named[1] !== undefined && searched.includes(named[1])
  return text
    ? (named.filter(field => field !== undefined && searched.includes(field)) as string[])
    : [...searched]
}

/** What a vector is made by and from. A vector of another version is out of date. */
export function meaningVersion(stream: StreamDeclaration): string {
  return `${JSON.stringify(meaningFields(stream))} by ${MEANING_MODEL}`
}

/** Scales the output of a model to whole numbers from -127 to 127. */
export function smallVector(values: ArrayLike<number>): Vector {
  let largest = 0
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i] ?? 0))
  return Int8Array.from({ length: values.length }, (_, i) =>
    Math.round(((values[i] ?? 0) / (largest || 1)) * 127),
  )
}

/** The cosine of the angle between two vectors: 1 is the same meaning; 0 if one of them is empty. */
export function likeness(one: Vector, other: Vector): number {
  let [product, first, second] = [0, 0, 0]
  for (let i = 0; i < one.length; i++) {
    const [a, b] = [one[i] ?? 0, other[i] ?? 0]
    product += a * b
    first += a * a
    second += b * b
  }
  return first === 0 || second === 0 ? 0 : product / Math.sqrt(first * second)
}
