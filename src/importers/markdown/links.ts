import { percentDecoded } from '../../model/percent-decoded.ts'

interface Links {
  /** Link targets inside the vault, as written, without headings and labels. */
  internal: string[]
  urls: string[]
  tags: string[]
}

// Labels, code and fences are limited in length, so that every text takes linear time.
const FENCE = /^[ \t]{0,20}(`{3,20}|~{3,20})[^\n]*\n[\s\S]*?(?:^[ \t]{0,20}\1[`~]{0,20}[ \t]*$|(?![\s\S]))/gm
const INLINE_CODE = /(?<!`)(`{1,10})(?!`)[^\n]{0,500}?[^`\n]\1(?!`)/g
const WIKILINK = /!?\[\[([^[\]\n]+)\]\]/g
const LINK =
  /!?\[[^[\]\n]{0,1000}\]\(\s{0,10}(?:<([^<>\n]+)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?\s*\)/g
const REFERENCE = /^ {0,3}\[[^[\]\n]{1,1000}\]:[ \t]+<?([^\s<>]+)>?/gm
const BARE = /https?:\/\/[^\s<>()[\]"'`]+[^\s<>()[\]"'`.,;:!?]/g
const LONGEST_TITLE = 300
const TAG = /(?:^|[\s(])#([\p{L}\p{N}_/-]*[\p{L}_][\p{L}\p{N}_/-]*)/gmu

/** The links and tags of a text. Code is ignored. */
export function linksOf(text: string): Links {
  const prose = text.replace(FENCE, '\n').replace(INLINE_CODE, ' ')
  const internal = new Set<string>()
  const urls = new Set<string>()
  const note = (target: string) => {
    const plain = percentDecoded(target.trim())
    if (/^[a-z][a-z0-9+.-]*:/i.test(plain)) {
      if (/^https?:/i.test(plain)) urls.add(target.trim())
      return
    }
    const path = plain.replace(/[#?^].*$/, '').trim()
    if (path !== '') internal.add(path)
  }
  for (const [, inner = ''] of prose.matchAll(WIKILINK)) note((inner.split('|')[0] ?? '').replace(/\\$/, ''))
  for (const [, bracketed, plain] of prose.matchAll(LINK)) note(bracketed ?? plain ?? '')
  for (const [, target = ''] of prose.matchAll(REFERENCE)) note(target)
  const rest = prose.replace(LINK, ' ').replace(REFERENCE, ' ')
  for (const [url] of rest.matchAll(BARE)) urls.add(url)
  const tags = new Set([...prose.matchAll(TAG)].map(([, tag = '']) => tag.replace(/(?<![/-])[/-]+$/, '')))
  return { internal: [...internal], urls: [...urls], tags: [...tags] }
}

/** The first heading, if it is the title: it is the first line, or the only heading of its level. */
export function headingOf(text: string): string | null {
  const prose = text.replace(FENCE, '\n')
  const headings = [...prose.matchAll(/^#[ \t]([^\n]*)$/gm)]
  const [first] = headings
  if (!first) return null
  const leads = prose.slice(0, first.index).trim() === ''
  if (!leads && headings.length > 1) return null
  const heading = (first[1] ?? '').slice(0, LONGEST_TITLE).trim().replace(/\s#+$/, '')
  const plain = heading.replace(/\[\[(?:[^|\]]*\|)?([^\]]+)\]\]/g, '$1').replace(/[*_`]{1,3}/g, '')
  return plain.trim() || null
}
