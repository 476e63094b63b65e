import { isTime } from '../time-bounds.ts'

/** `from:hedda` or `in:"the harbour"`: a known name before the colon, and the value after it. */
export interface QueryOperator {
  name: (typeof QUERY_OPERATORS)[number]
  value: string
}

const QUERY_OPERATORS = [
  ...(['from', 'to', 'with', 'in', 'has', 'type'] as const),
  ...(['before', 'after', 'on', 'since', 'until'] as const),
] as const

/** What mail and chat programs call the same. */
const SYNONYMS: Readonly<Record<string, QueryOperator['name']>> = {
  ...{ sender: 'from', author: 'from', recipient: 'to', cc: 'to', bcc: 'to' },
  ...{ channel: 'in', folder: 'in', mailbox: 'in', label: 'in', tag: 'in' },
}

/** Quotation marks, also as telephones and word processors write them. */
const QUOTATION_MARKS = /["“”„‟＂]/g

const OPERATOR_NAMES = [...QUERY_OPERATORS, ...Object.keys(SYNONYMS)].join('|')
const OPERATOR = new RegExp(`(?<!\\S)(${OPERATOR_NAMES}):(?:"([^"]*)"|\\(([^()"]*)\\)|([^\\s"]+))`, 'giu')
/** What mail programs call times by their age: the operator that means the same. */
const AGES: Readonly<Record<string, QueryOperator['name']>> = { newer_than: 'since', older_than: 'before' }
const AGE = new RegExp(`(?<!\\S)(${Object.keys(AGES).join('|')}):(\\d{1,4}[dwmy])(?!\\S)`, 'giu')
/** A time of several words that is not in quotation marks, such as `on:2 August 2015`, and what may belong to it. */
const WORDED =
  /(?<!\S)(before|after|on|since|until):([^\s"():]+(?:\s+(?:[^\s":]|(?<=\d):(?=\d))+(?!\S)){1,4})/giu

/** A query whose times of several words are in quotation marks. */
export function quoteTimes(query: string): string {
  return query.replace(WORDED, (written, name: string, value: string) => {
    const spaces = [...value.matchAll(/\s+|$/g)].map(({ index }) => index)
    const end = spaces.slice(1).findLast(at => isTime(value.slice(0, at)))
    return end === undefined ? written : `${name}:"${value.slice(0, end)}"${value.slice(end)}`
  })
}

/** A name or place of several words that is not in quotation marks, where nothing else can follow it. */
const NAMED = new RegExp(
  `(?<!\\S)(${['from', 'to', 'with', 'in', ...Object.keys(SYNONYMS)].join('|')}):([^\\s"():]+(?:\\s+(?!OR\\s)[^\\s":]+(?!\\S))+)`,
  'giu',
)

/** A query whose names of several words are in quotation marks. */
export function quoteNames(query: string): string {
  return query.replace(NAMED, '$1:"$2"')
}

/** Operators of other programs for what no record here has, or what parameters narrow. */
const FOREIGN =
  /(?<!\S)(?:is|larger|smaller|size|category|list|source|site|app|connector|stream):(?!\/\/)[^\s"]+/giu
/** Programs restrict words to one field with these. Here titles and file names are searched with everything else. */
const FIELD_PREFIX = /(?<=^|\s|(?:^|\s)-)(?:subject|title|filename):(?=\S)/giu

/**
 * Takes the operators out of a query. The rest is words. An operator that follows the same one after OR adds an
 * alternative to it.
 */
export function takeOperators(query: string): { operators: QueryOperator[]; words: string } {
  const text = quoteTimes(query.replace(QUOTATION_MARKS, '"')).replace(
    AGE,
    (_, name: string, age: string) => `${AGES[name.toLowerCase()]}:-${age}`,
  )
  const operators: QueryOperator[] = []
  let words = ''
  let end = 0
  for (const match of text.matchAll(OPERATOR)) {
    const [written, name = '', quoted, listed, plain] = match
    const value = (quoted ?? listed ?? plain ?? '').trim()
    if (value === '') continue
    const known = name.toLowerCase()
    const operator = SYNONYMS[known] ?? (known as QueryOperator['name'])
    const between = text.slice(end, match.index)
    const last = operators.at(-1)
    if (last?.name === operator && /^\s+OR\s+$/.test(between)) last.value += ` OR ${value}`
    else {
      operators.push({ name: operator, value })
      words += `${between} `
    }
    end = match.index + written.length
  }
  words += text.slice(end)
  return { operators, words: words.replace(FIELD_PREFIX, '') }
}

export function withoutQuotationMarks(query: string): string {
  return query.replace(QUOTATION_MARKS, ' ')
}

/** The parts of a text that look like operators of other programs. */
export function foreignOperators(words: string): string[] {
  return words.match(FOREIGN) ?? []
}
