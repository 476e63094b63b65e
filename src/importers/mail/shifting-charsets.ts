const ESC = 0x1b
const SHIFT_OUT = 0x0e
const SHIFT_IN = 0x0f

const EUC_JP = new TextDecoder('euc-jp')
const EUC_KR = new TextDecoder('euc-kr')
const GBK = new TextDecoder('gbk')
const GREEK = new TextDecoder('iso-8859-7')

/** The character sets that escape sequences select, each as bytes of a charset that the platform supports. */
const SETS: Record<string, ((bytes: Buffer) => string) | 'plain'> = {
  '(B': 'plain',
  '(J': 'plain',
  '(I': bytes => EUC_JP.decode(Buffer.from([...bytes].flatMap(byte => [0x8e, byte | 0x80]))),
  $B: bytes => EUC_JP.decode(high(bytes)),
  '$@': bytes => EUC_JP.decode(high(bytes)),
  $A: bytes => GBK.decode(high(bytes)),
  '$(C': bytes => EUC_KR.decode(high(bytes)),
  '$(D': bytes => EUC_JP.decode(paired(high(bytes), 0x8f)),
  // A character set of Emacs: Unicode from U+0100 in byte pairs.
  '$,1': bytes => fromPairs(bytes),
}

/**
 * ISO-2022-JP with its extensions 1, 2 and 3, and ISO-2022-KR. Bytes that belong to none of the sets are decoded by
 * `plain`, because programs write other charsets there.
 */
export function decodeIso2022(bytes: Buffer, plain: (bytes: Buffer) => string): string {
  const out: string[] = []
  let set: (typeof SETS)[string] = 'plain'
  let start = 0
  let single: 'latin' | 'greek' = 'latin'
  const flush = (end: number) => {
    const run = bytes.subarray(start, end)
    if (run.length > 0) out.push(set === 'plain' ? plain(run) : set(run))
  }
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === SHIFT_OUT || byte === SHIFT_IN || byte === 0x0a) {
      flush(at)
      set = byte === SHIFT_OUT ? (SETS['$(C'] as (bytes: Buffer) => string) : 'plain'
      start = byte === 0x0a ? at : at + 1
      continue
    }
    if (byte !== ESC) continue
    const next = bytes.toString('latin1', at + 1, at + 4)
    const called = ['$(C', '$(D', '$,1', '(B', '(J', '(I', '$B', '$@', '$A'].find(name =>
      next.startsWith(name),
    )
    if (next.startsWith('$)C') || next.startsWith('.A') || next.startsWith('.F')) {
      flush(at)
      if (next[0] === '.') single = next[1] === 'F' ? 'greek' : 'latin'
      at += next[0] === '.' ? 2 : 3
    } else if (next.startsWith('N')) {
      flush(at)
      const shown = Buffer.from([(bytes[at + 2] ?? 0x20) | 0x80])
      out.push(single === 'greek' ? GREEK.decode(shown) : shown.toString('latin1'))
      at += 2
    } else if (called !== undefined) {
      flush(at)
      set = SETS[called] ?? 'plain'
      at += called.length
    } else continue
    start = at + 1
  }
  flush(bytes.length)
  return out.join('')
}

/** HZ: pairs of GB 2312 between `~{` and `~}`. */
export function decodeHz(bytes: Buffer): string {
  const text = bytes.toString('latin1').replaceAll('~\n', '')
  return text.replace(/~\{([\s\S]*?)(?:~\}|$)|~~/g, (found, pairs: string | undefined) =>
    pairs === undefined ? found.slice(1) : GBK.decode(high(Buffer.from(pairs, 'latin1'))),
  )
}

function fromPairs(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    text += String.fromCharCode(
      0x100 + ((bytes[at] as number) - 0x20) * 96 + (bytes[at + 1] as number) - 0x20,
    )
  }
  return text
}

function high(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map(byte => (byte > 0x20 ? byte | 0x80 : byte)))
}

function paired(bytes: Buffer, prefix: number): Buffer {
  const out: number[] = []
  for (let at = 0; at < bytes.length; at += 2) out.push(prefix, bytes[at] as number, bytes[at + 1] ?? 0xa1)
  return Buffer.from(out)
}
