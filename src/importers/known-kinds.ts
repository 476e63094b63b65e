import { isDocumentHead } from './extraction/document-head.ts'
import { type Head, isDatabase, magic, type Sign, text } from './reading/head.ts'
import { isPartOfArchive, isTakeoutIndex } from './source/telling-name.ts'

/** The description of a file that no importer reads. */
export interface Description {
  /** Follows "This looks like": `a picture`. */
  one: string
  /** Follows a number: `pictures`. */
  many: string
  /** What the owner can do, or that nothing can be done yet; empty for archives, where it depends on where they are. */
  advice: string
}

type KnownKind = Description & { matches: Sign }

function kind(one: string, many: string, advice: string, matches: Sign): KnownKind {
  return { one, many, advice, matches }
}

const notYet = (what: string): string => `Footnote cannot import ${what} yet.`
/** The four-character format of a RIFF or MP4 file. */
const brand = ({ bytes }: Head, container: 'RIFF' | 'ftyp') =>
  bytes.startsWith(container, container === 'RIFF' ? 0 : 4) ? bytes.slice(8, 12) : null
const OLE = magic('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')
const isDrawing = text(/^\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!DOCTYPE svg[^>]{0,500}>\s*)?<svg\b/)
const isZip = magic('PK\x03\x04', 'PK\x05\x06')
const MEDIA = `${notYet('pictures, sound or video on their own')} It keeps them as attachments of messages and notes.`

/** All kinds of files that are recognised but cannot be imported. The first match is used. */
export const KNOWN_KINDS: readonly KnownKind[] = [
  kind(
    'a part of a calendar (iCalendar)',
    'parts of a calendar (iCalendar)',
    'It contains no events, tasks or journal entries.',
    text(/^\s*BEGIN:V(TIMEZONE|ALARM|AVAILABILITY|FREEBUSY)\b/i),
  ),
  kind(
    'the index of a Google Takeout',
    'index pages of a Google Takeout',
    'It only lists the contents of the export.',
    ({ path }) => isTakeoutIndex(path),
  ),
  kind(
    'a recording of web traffic (HAR)',
    'recordings of web traffic (HAR)',
    'It may contain passwords and cookies, so it is not imported.',
    text(/^\s*\{\s*"log"\s*:\s*\{\s*"(?:version|creator|browser|pages|entries)"\s*:/),
  ),
  kind(
    'an encrypted WhatsApp backup',
    'encrypted WhatsApp backups',
    'Export the chats on your phone instead: open a chat, its name, Export chat.',
    head => head.text === '' && /\.crypt\d{1,2}$/i.test(head.path),
  ),
  kind(
    'an encrypted Signal backup',
    'encrypted Signal backups',
    'Use signal-export on a computer with Signal Desktop instead.',
    head => head.text === '' && /(?:^|\/)signal-[\d-]+\.backup$/i.test(head.path),
  ),
  kind(
    'the encrypted database of Signal Desktop',
    'encrypted databases of Signal Desktop',
    'Use signal-export on this computer and import what it writes.',
    head => head.text === '' && /(?:^|\/)db\.sqlite$/.test(head.path) && !isDatabase(head),
  ),
  kind('a Bluesky repository (CAR)', 'Bluesky repositories (CAR)', notYet('CAR files'), ({ bytes }) =>
    /^[\s\S]{1,2}\xa2(?:eroots|gversion)/.test(bytes),
  ),
  kind(
    'the lock file of an open office document',
    'lock files of open office documents',
    'It contains nothing from the document.',
    ({ path }) => /(?:^|\/)~\$[^/]+$/.test(path),
  ),
  kind(
    'an encrypted file',
    'encrypted files',
    'Decrypt it and import the result.',
    text(/^-----BEGIN PGP MESSAGE-----|^age-encryption\.org\/v1/),
  ),
  kind('a document', 'documents', 'Import it with --as documents.', ({ path, bytes }) =>
    isDocumentHead(Buffer.from(bytes, 'latin1'), path),
  ),
  kind(
    'an Outlook message (MSG)',
    'Outlook messages (MSG)',
    'Save it as .eml or as text and import that.',
    start => OLE(start) && /\.msg$/i.test(start.path),
  ),
  kind(
    'an old or encrypted office document',
    'old or encrypted office documents',
    'Save it as .docx, .xlsx or .pptx without a password, or as PDF, and import that.',
    OLE,
  ),
  kind(
    'an Outlook mailbox (PST)',
    'Outlook mailboxes (PST)',
    'Export the mail as .eml or mbox files and import those.',
    magic('!BDN'),
  ),
  kind(
    'a part of an Outlook archive (OLM)',
    'parts of an Outlook archive (OLM)',
    'Export the mail as .eml or mbox files and import those.',
    ({ path }) => path.includes('com.microsoft.__'),
  ),
  kind(
    'an attachment that only Outlook can read (winmail.dat)',
    'attachments that only Outlook can read (winmail.dat)',
    notYet('it'),
    magic('\x78\x9f\x3e\x22'),
  ),
  kind(
    'a picture',
    'pictures',
    MEDIA,
    start =>
      magic('\x89PNG', '\xff\xd8\xff', 'GIF8', 'II*\0', 'MM\0*')(start) ||
      brand(start, 'RIFF') === 'WEBP' ||
      isDrawing(start) ||
      /^(hei[cx]|mif1|avif)$/.test(brand(start, 'ftyp') ?? ''),
  ),
  kind(
    'a sound recording',
    'sound recordings',
    MEDIA,
    start =>
      magic('ID3', 'OggS', 'fLaC', '#!AMR', '\xff\xfb', '\xff\xf3')(start) ||
      brand(start, 'RIFF') === 'WAVE' ||
      brand(start, 'ftyp') === 'M4A ',
  ),
  kind(
    'a video',
    'videos',
    MEDIA,
    start =>
      magic('\x1aE\xdf\xa3')(start) || brand(start, 'RIFF') === 'AVI ' || brand(start, 'ftyp') !== null,
  ),
  kind(
    'a database (SQLite)',
    'databases (SQLite)',
    `${notYet('databases')} Export its tables as CSV and import those.`,
    isDatabase,
  ),
  kind(
    'a part of a split archive',
    'parts of a split archive',
    'Join the parts into one archive and import that.',
    ({ path, bytes }) => isPartOfArchive(path) || bytes.startsWith('PK\x07\x08'),
  ),
  kind('a zip archive', 'zip archives', '', isZip),
  kind('a gzipped file', 'gzipped files', '', magic('\x1f\x8b')),
  kind('a tar archive', 'tar archives', '', ({ bytes }) => bytes.slice(257, 262) === 'ustar'),
  kind(
    'an archive that Footnote cannot open (7z, rar, xz, bzip2, zstd)',
    'archives that Footnote cannot open (7z, rar, xz, bzip2, zstd)',
    'Unpack it and import the folder.',
    start =>
      magic('7z\xbc\xaf\x27\x1c', 'Rar!\x1a', '\xfd7zXZ\0', '\x28\xb5\x2f\xfd')(start) ||
      /^BZh\d1AY&SY/.test(start.bytes),
  ),
  kind(
    'a program',
    'programs',
    'There is nothing to import.',
    start =>
      magic('\x7fELF', '\xcf\xfa\xed\xfe', '\xca\xfe\xba\xbe')(start) ||
      /^MZ.*\.(?:exe|dll|msi)$/is.test(start.bytes.slice(0, 2) + start.path),
  ),
  kind('an XML file', 'XML files', notYet('XML files'), text(/^\s*<\?xml\b/)),
]
