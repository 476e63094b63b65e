const SIGNATURE = /^(?:- )?-- $/

/** Paragraphs of flowed text as single lines (RFC 3676). Quote marks, signatures and empty lines are kept. */
export function unflowed(text: string, softBreak: ' ' | ''): string {
  const parts: string[] = []
  /** The quote depth of the paragraph that the next line may continue. */
  let open: number | null = null
  for (const line of text.split('\n')) {
    const depth = quoteDepth(line)
    const content = line.slice(line[depth] === ' ' ? depth + 1 : depth)
    const standsAlone = SIGNATURE.test(content) || content.trim() === ''
    if (open !== depth || standsAlone) {
      if (parts.length > 0) parts.push('\n')
      if (depth > 0) parts.push(line.slice(0, -content.length || undefined))
    }
    const isSoft = content.endsWith(' ') && !standsAlone
    parts.push(isSoft ? content.slice(0, -1) + softBreak : content)
    open = isSoft ? depth : null
  }
  return parts.join('')
}

function quoteDepth(line: string): number {
  let depth = 0
  while (line[depth] === '>') depth++
  return depth
}
