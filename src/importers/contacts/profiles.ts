import { type CardProperty, plain } from './card.ts'
import { type Labelled, labelledBy } from './labelled.ts'

const MESSENGER = /^(?:IMPP|X-MS-IMADDRESS)$/
const PROFILE = /^(?:X-)?SOCIALPROFILE$/
/** `X-SKYPE:ada` and the like, from before there was a property for messengers. */
const SERVICE =
  /^X-(AIM|FACEBOOK|GADUGADU|GOOGLE-TALK|GROUPWISE|GTALK|ICQ|JABBER|LINKEDIN|MATRIX|MSN|QQ|SIGNAL|SKYPE|TELEGRAM|TWITTER|WECHAT|WHATSAPP|YAHOO)(?:-USERNAME)?$/
/** The scheme of an address that is not a web address: `skype:ada`. */
const SCHEME = /^([a-z][\w+.-]*):(?!\/\/)/i

/** The names of a person in messengers and social networks, with the service as label. */
export function profilesOf(properties: readonly CardProperty[]): Labelled[] {
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
