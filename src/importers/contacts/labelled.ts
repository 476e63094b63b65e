import { type CardProperty, plain } from './card.ts'

/** A value with what it is for: `home`, `work`, `skype`, `mother`. */
export type Labelled = { value: string; label: string | null }

/** Labels a value of a property; nothing if the value is empty. */
export type Label = (property: CardProperty, value: string) => Labelled[]

/** Labels by the types of properties and by what the owner of the card calls them. */
export function labelsIn(properties: readonly CardProperty[]): Label {
  const own = new Map(
    properties
      .filter(({ name }) => name === 'X-ABLABEL')
      .map(({ group, value }) => [group, appleLabel(plain(value))]),
  )
  return ({ parameters, group }, value) => {
    const types = (parameters.get('TYPE') ?? []).map(type => type.toLowerCase())
    const known = types.filter(type => !/^(pref|internet|voice|x-.*)$/.test(type)).join(', ')
    return labelledBy((group !== null && own.get(group)) || known || null, value)
  }
}

export function labelledBy(label: string | null, value: string): Labelled[] {
  return value === '' ? [] : [{ value, label }]
}

/** Apple writes its own labels as `_$!<HomePage>!$_`. */
function appleLabel(written: string): string {
  const own = /^_\$!<(.*)>!\$_$/s.exec(written)?.[1]
  return own === undefined ? written : own.toLowerCase()
}
