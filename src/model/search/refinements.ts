import { FURTHER } from '../text/further-keys.ts'

/** Parts of search that can be left out, so that `npm run eval` shows what each of them is worth. */
export const REFINEMENTS = [
  ...FURTHER,
  'segments',

  'meant_quotes',
  'misspellings',
  'length',
  'reach',
  'titles',
  'people',
  'neighbours',
  'closeness',
  'dates',
  'meaning',
  'spread_windows',
] as const
export type Refinement = (typeof REFINEMENTS)[number]

/** The refinements that a search leaves out; usually none. */
export type Without = readonly Refinement[]
