import { html } from 'hono/html'
import { counted } from '../../model/amounts.ts'
import type { Html } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { joined } from '../../pages/words.ts'
import type { Vocabulary } from '../vocabulary.ts'
import { connectionsOf, type GrantWithTerms } from './app-access.ts'
import { bySource, grantWords, kindWords, sourceNames, termWords, wholeWords } from './grant-words.ts'

/** A longer list is collapsed. */
const MOST_OPEN = 4

/** One source of an app: its name, and what has not been said already about what the app may read of it. */
export type GrantRow = (grant: GrantWithTerms, source: string, words: Html) => Html

/** The terms that all grants have in common; undefined if they differ. */
export function sharedTerms(grants: readonly GrantWithTerms[], times: Times): string | undefined {
  const terms = new Set(grants.map(grant => termWords(grant, times)))
  return terms.size === 1 ? [...terms][0] : undefined
}

/**
 * What an app may read, as rows: many sources with the same access are one row that says it once, with the sources
 * collapsed. Every other source has its own row.
 */
export function grantedRows(
  grants: readonly GrantWithTerms[],
  vocabulary: Vocabulary,
  times: Times,
  row: GrantRow,
): Html[] {
  const isShared = sharedTerms(grants, times) !== undefined
  const terms = (grant: GrantWithTerms) =>
    isShared ? '' : html`<p class="soft small">${termWords(grant, times)}</p>`
  const nameOf = (grant: GrantWithTerms) => joined(sourceNames(grant, vocabulary))
  const groups = [
    ...Map.groupBy(bySource(grants, vocabulary), grant => {
      const whole = wholeWords(grant, vocabulary, times)
      return whole === null ? grant.grant_id : `${whole} ${termWords(grant, times)}`
    }).values(),
  ]
  const others = groups.filter(({ length }) => length <= MOST_OPEN).flat()
  return [
    ...groups.flatMap(([first, ...more]) => {
      if (!first || more.length < MOST_OPEN) return []
      const own = [first, ...more]
      // Two grants may give access to the same source.
      const sources = new Set(own.flatMap(connectionsOf))
      return [
        html`<li class="stack-tight"><h3>Everything in ${counted(sources.size, 'source')}, ${wholeWords(first, vocabulary, times)}</h3>
<p class="soft">${joined([...new Set(own.map(nameOf))])}</p>${terms(first)}<details><summary>Each source</summary><ul class="rows">${own.map(grant => row(grant, nameOf(grant), kindWords(grant, vocabulary)))}</ul></details></li>`,
      ]
    }),
    ...bySource(others, vocabulary).map(grant =>
      row(grant, nameOf(grant), html`${grantWords(grant, vocabulary, times)}${terms(grant)}`),
    ),
  ]
}

/** A list that is collapsed if it is long. */
export function collapsible(rows: readonly Html[], summary: string): Html {
  const list = html`<ul class="rows card">${rows}</ul>`
  return rows.length > MOST_OPEN ? html`<details><summary>${summary}</summary>${list}</details>` : list
}
