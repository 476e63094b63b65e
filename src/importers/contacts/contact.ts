import type { TakenBytes } from '../../model/declaration/blob.ts'
import type { JsonObject } from '../../model/json.ts'
import { basicTime } from '../written-time.ts'
import { type CardProperty, partsOf, pictureIn, plain, propertiesOf } from './card.ts'
import { type Label, type Labelled, labelledBy, labelsIn } from './labelled.ts'

const ANNIVERSARY = /^(?:X-|X-MS-|X-EVOLUTION-)?ANNIVERSARY$/
const RELATION = /^X-(?:MS-|EVOLUTION-)?(SPOUSE|CHILD|MANAGER|ASSISTANT)$/

export interface Contact {
  fields: JsonObject & { source_id: string | null; categories: string[] }
  /** The members of a group, as its card names them. */
  members: string[]
  picture: TakenBytes | null
  /** What identifies the contact: its UID, or its name. */
  identity: string
}

/** A contact; null if the card has no name, mail address or phone number. */
export function contactOf(lines: readonly string[]): Contact | null {
  const properties = propertiesOf(lines)
  const all = (name: string) => properties.filter(property => property.name === name)
  const values = (name: string) => all(name).flatMap(({ value }) => plain(value) || [])
  const first = (name: string) => values(name)[0] ?? null
  const [family = '', given = ''] = partsOf(all('N')[0]?.value ?? '', ';')
  const organization =
    partsOf(all('ORG')[0]?.value ?? '', ';')
      .filter(part => part !== '')
      .join(', ') || null
  const label = labelsIn(properties)
  const labelled = (property: CardProperty) =>
    label(property, plain(property.value).replace(/^(?:tel|mailto):/i, ''))
  const emails = all('EMAIL').flatMap(labelled)
  const name = first('FN') ?? ([given, family].filter(part => part !== '').join(' ') || organization)
  const phones = all('TEL').flatMap(labelled)
  if (name === null && emails.length === 0 && phones.length === 0) return null
  const uid = first('UID')
  const photo = all('PHOTO')[0]
  const picture = photo ? pictureIn(photo) : null
  return {
    picture,
    members: [...values('MEMBER'), ...values('X-ADDRESSBOOKSERVER-MEMBER')],
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
      addresses: all('ADR').flatMap(property => label(property, addressOf(property))),
      links: values('URL'),
      profiles: profilesOf(properties),
      birthday: all('BDAY')[0] ? dayOf(all('BDAY')[0] as CardProperty) : null,
      dates: properties.flatMap(property => dateOf(property, label)),
      related: properties.flatMap(property => relatedOf(property, label)),
      note: values('NOTE').join('\n\n') || null,
      categories: all('CATEGORIES')
        .flatMap(({ value }) => partsOf(value, ','))
        .filter(value => value !== ''),
      attachments: picture ? [attachmentOf(picture)] : [],
      updated_at: basicTime(first('REV')),
      source_id: uid,
    },
  }
}

function attachmentOf({ blob_id, mime_type, bytes }: TakenBytes): JsonObject {
  return { blob_id, name: 'photo', mime_type, size_bytes: bytes.length }
}

function addressOf(property: CardProperty): string {
  return partsOf(property.value, ';')
    .filter(part => part !== '')
    .join(', ')
}

/** A day that matters to the contact, other than the birthday. */
function dateOf(property: CardProperty, label: Label): Labelled[] {
  if (ANNIVERSARY.test(property.name)) return labelledBy('anniversary', dayOf(property) ?? '')
  return property.name === 'X-ABDATE' ? label(property, dayOf(property) ?? '') : []
}

function relatedOf(property: CardProperty, label: Label): Labelled[] {
  const relation = RELATION.exec(property.name)?.[1]
  if (relation !== undefined) return labelledBy(relation.toLowerCase(), plain(property.value))
  return /^(?:RELATED|X-ABRELATEDNAMES)$/.test(property.name) ? label(property, plain(property.value)) : []
}

/** `19800131` as `1980-01-31`, and without the year that Apple writes for an unknown one. */
function dayOf({ value, parameters }: CardProperty): string | null {
  const written = plain(value).replace(/^(\d{4})(\d{2})(\d{2})(?=$|T)/, '$1-$2-$3')
  const omitted = parameters.get('X-APPLE-OMIT-YEAR')?.[0]
  const day = omitted !== undefined && written.startsWith(`${omitted}-`) ? `-${written.slice(4)}` : written
  return day.replace(/T00:?00:?00Z?$/, '').replace(/^--(\d{2})-(\d{2})$/, '--$1$2') || null
}

const MESSENGER = /^(?:IMPP|X-MS-IMADDRESS)$/
const PROFILE = /^(?:X-)?SOCIALPROFILE$/
/** `X-SKYPE:ada` and the like, from before there was a property for messengers. */
const SERVICE =
  /^X-(AIM|FACEBOOK|GADUGADU|GOOGLE-TALK|GROUPWISE|GTALK|ICQ|JABBER|LINKEDIN|MATRIX|MSN|QQ|SIGNAL|SKYPE|TELEGRAM|TWITTER|WECHAT|WHATSAPP|YAHOO)(?:-USERNAME)?$/
/** The scheme of an address that is not a web address: `skype:ada`. */
const SCHEME = /^([a-z][\w+.-]*):(?!\/\/)/i

/** The names of a person in messengers and social networks, with the service as label. */
function profilesOf(properties: readonly CardProperty[]): Labelled[] {
  const found = properties.flatMap(profileOf)
  // Apple writes the same name in an old and in a new property.
  return [...new Map(found.map(profile => [JSON.stringify(profile).toLowerCase(), profile])).values()]
}

function profileOf({ name, parameters, value }: CardProperty): Labelled[] {
  const written = plain(value)
  const service = SERVICE.exec(name)?.[1]
  if (service !== undefined) return labelledBy(service.toLowerCase(), written)
  if (!MESSENGER.test(name) && !PROFILE.test(name)) return []
  const types = parameters.get('TYPE')?.filter(type => !/^pref$/i.test(type))
  const label =
    parameters.get('X-SERVICE-TYPE')?.[0] ??
    parameters.get('SERVICE-TYPE')?.[0] ??
    (PROFILE.test(name) ? types?.[0] : undefined) ??
    SCHEME.exec(written)?.[1]
  return labelledBy(label?.toLowerCase() ?? null, written.replace(SCHEME, ''))
}
