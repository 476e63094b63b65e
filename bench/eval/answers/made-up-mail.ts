import { words } from '../../mail.ts'
import { seeded } from '../../random.ts'

/** A mail before it is written into a mailbox. */
export interface Mail {
  from: string
  to: string
  subject: string
  at: string
  body: string
  /** The Message-IDs of the thread before it. */
  references?: string[]
  id: string
  pdf?: { name: string; text: string }
}

export const OWNER = 'Mara Linden <mara.linden@home.example>'
const PEOPLE = Array.from({ length: 30 }, (_, n) => `Person ${n} <person-${n}@example.org>`)

/** Filler mail: meaningless words, from many people, over two years, never on a day that a question is about. */
export function fillerMail(count: number, seed: number, avoided: readonly string[]): Mail[] {
  const random = seeded(seed)
  const from = Date.UTC(2023, 6, 1)
  return Array.from({ length: count }, (_, n): Mail => {
    const at = new Date(from + Math.floor(random() * 700) * 86_400_000 + 9 * 3_600_000).toISOString()
    return {
      id: `filler-${seed}-${n}@example.org`,
      from: PEOPLE[Math.floor(random() * PEOPLE.length)] ?? '',
      to: OWNER,
      subject: words(random, 30),
      at,
      body: words(random, 200 + Math.floor(random() * 900)),
    }
  }).filter(({ at }) => !avoided.includes(at.slice(0, 10)))
}

/** A thread of replies, an hour after each other; `texts` are its messages. */
export function thread(
  subject: string,
  people: readonly string[],
  start: string,
  texts: readonly string[],
): Mail[] {
  const ids = texts.map((_, n) => `${subject.toLowerCase().replace(/\W+/g, '-')}-${n}@thread.example`)
  return texts.map((body, n) => ({
    id: ids[n] ?? '',
    from: people[n % people.length] ?? '',
    to: people[(n + 1) % people.length] ?? '',
    subject: n === 0 ? subject : `Re: ${subject}`,
    at: new Date(Date.parse(start) + n * 3_600_000).toISOString(),
    body,
    references: ids.slice(0, n),
  }))
}

/** A mailbox file. */
export function mbox(mails: readonly Mail[]): string {
  return mails.map(mail => `From made@up.example Mon Jan  1 00:00:00 2024\n${rfc822(mail)}\n\n`).join('')
}

function rfc822({ from, to, subject, at, body, references = [], id, pdf }: Mail): string {
  const ids = references.map(each => `<${each}>`)
  const head = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Date: ${new Date(at).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${id}>`,
    ...(ids.length > 0 ? [`In-Reply-To: ${ids.at(-1)}`, `References: ${ids.join(' ')}`] : []),
    'MIME-Version: 1.0',
  ]
  const text = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit', '', body]
  if (!pdf) return [...head, ...text].join('\n')
  const bytes = Buffer.from(pdfOf(pdf.text), 'latin1').toString('base64')
  return [
    ...head,
    'Content-Type: multipart/mixed; boundary="=_part"',
    '',
    '--=_part',
    ...text,
    '--=_part',
    `Content-Type: application/pdf; name="${pdf.name}"`,
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: attachment; filename="${pdf.name}"`,
    '',
    ...(bytes.match(/.{1,76}/g) ?? []),
    '--=_part--',
  ].join('\n')
}

/** The smallest PDF that shows a text. */
function pdfOf(text: string): string {
  const shown = `BT /F1 12 Tf 72 720 Td (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${shown.length}>>\nstream\n${shown}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
  ]
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, n) => {
    const offset = file.length
    file += `${n + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  return `${file}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF\n`
}
