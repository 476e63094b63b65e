import { RANGE_OPERATORS, type RangeOperator } from '../model/declaration/declaration.ts'

// What fields of declarations are made of. A text or a time that the source does not tell is null.
export const TEXT = { type: ['string', 'null'] }
export const TEXTS = { type: 'array', items: { type: 'string' } }
export const TIME = { type: ['string', 'null'], format: 'date-time' }
export const FLAG = { type: 'boolean' }
export const COUNT = { type: 'integer' }

/** For a field that can be asked for from and to any value. */
export const ANY_RANGE: RangeOperator[] = [...RANGE_OPERATORS]
