import { FURTHER } from '../text/further-keys.ts'

/** Parts of search that can be turned off, so that `npm run eval` shows what each contributes. */
export const REFINEMENTS = [
  ...FURTHER,
  'segments',

  'meant_quotes',
  'asking',
  'misspellings',
  'length',
  'reach',
  'titles',
  'people',
  'neighbours',
  'addressed',
  'only_short',
  'passages',
  'closeness',
  'dates',
  'sources',
  'all_words',
  'cards',
  'meaning',
  'spread_windows',
] as const
export type Refinement = (typeof REFINEMENTS)[number]

/** The refinements that are turned off for a search; usually none. */
export type Without = readonly Refinement[]
