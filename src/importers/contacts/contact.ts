import type { JsonObject } from '../../model/json.ts'
import { parseWrittenTime } from '../written-time.ts'
import { type CardProperty, type Picture, partsOf, pictureIn, plain, propertiesOf } from './card.ts'

interface Contact {
  fields: JsonObject
  picture: Picture | null
  /** What identifies the contact: its UID, or its name. */
  identity: string
}

/** A contact; null if the card has no name, mail address or phone number. */
export function contactOf(lines: readonly string[]): Contact | null {
  const properties = propertiesOf(lines)
  const all = (name: string) => properties.filter(property => property.name === name)
  const first = (name: string) =>
    all(name)
      .map(({ value }) => plain(value))
      .find(value => value !== '') ?? null
  const [family = '', given = ''] = partsOf(all('N')[0]?.value ?? '', ';')
  const organization =
    partsOf(all('ORG')[0]?.value ?? '', ';')
      .filter(part => part !== '')
      .join(', ') || null
  const emails = all('EMAIL').flatMap(labelled)
  const name = first('FN') ?? ([given, family].filter(part => part !== '').join(' ') || organization)
  const phones = all('TEL').flatMap(labelled)
  if (name === null && emails.length === 0 && phones.length === 0) return null
  const uid = first('UID')
  const photo = all('PHOTO')[0]
  const picture = photo ? pictureIn(photo) : null
  const updated = parseWrittenTime(revised(first('REV') ?? ''), null)
  return {
    picture,
    identity: uid === null ? `name ${name ?? emails[0]?.value ?? phones[0]?.value}` : `uid ${uid}`,
    fields: {
      name,
      given_name: given || null,
      family_name: family || null,
      nickname: first('NICKNAME'),
      organization,
      job_title: first('TITLE') ?? first('ROLE'),
      emails,
      phones,
      addresses: all('ADR').flatMap(addressOf),
      links: all('URL')
        .map(({ value }) => plain(value))
        .filter(value => value !== ''),
      birthday: first('BDAY'),
      note:
        all('NOTE')
          .map(({ value }) => plain(value))
          .filter(value => value !== '')
          .join('\n\n') || null,
      categories: all('CATEGORIES')
        .flatMap(({ value }) => partsOf(value, ','))
        .filter(value => value !== ''),
      attachments: picture
        ? [
            {
              blob_id: picture.blob_id,
              name: 'photo',
              mime_type: picture.mime_type,
              size_bytes: picture.bytes.length,
            },
          ]
        : [],
      updated_at: updated?.utc ?? null,
      source_id: uid,
    },
  }
}

/** `20240131T101500Z` as `2024-01-31T10:15:00Z`. */
function revised(text: string): string {
  return text.replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})/, '$1-$2-$3T$4:$5:$6')
}

function labelled(property: CardProperty): { value: string; label: string | null }[] {
  const value = plain(property.value).replace(/^(?:tel|mailto):/i, '')
  return value === '' ? [] : [{ value, label: labelOf(property) }]
}

function labelOf({ parameters }: CardProperty): string | null {
  const types = (parameters.get('TYPE') ?? []).map(type => type.toLowerCase())
  return types.filter(type => !/^(pref|internet|voice|x-.*)$/.test(type)).join(', ') || null
}

function addressOf(property: CardProperty): { value: string; label: string | null }[] {
  const value = partsOf(property.value, ';')
    .filter(part => part !== '')
    .join(', ')
  return value === '' ? [] : [{ value, label: labelOf(property) }]
}
