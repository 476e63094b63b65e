import { statSync } from 'node:fs'
import { replaceFile } from '../data-folder/replace-file.ts'
import { invalidRequest } from '../model/errors.ts'
import { NOT_OWN_NAMES, ownNamesIn } from '../model/reading/people.ts'
import { publicOrigin } from '../origin/address.ts'
import type { LiveSettings, Surroundings } from '../origin/server.ts'
import { type Config, settingsIn } from './config.ts'
import { SETTINGS } from './settings.ts'
import { UsageError } from './terminal/exit-errors.ts'

type KeptSettings = ReturnType<NonNullable<Surroundings['settings']>>
type OwnerSetting = ReturnType<KeptSettings['read']>[number]

const OWNER_ONLY = 0o600

/** What the owner can set in the browser. It is stored in the settings file, which flags and variables override. */
export function ownerSettings({ file, fixed }: Config['settings'], live: LiveSettings): KeptSettings {
  const kept = () =>
    settingsIn(
      file,
      SETTINGS.map(({ name }) => name),
      false,
    )
  /** The file may have become invalid while the server runs. Then it is left as it is, and this is what is wrong. */
  const keptOrReason = () => {
    try {
      return kept()
    } catch (error) {
      if (error instanceof UsageError) return error.message
      throw error
    }
  }
  const inForce: Record<OwnerSetting['name'], () => string> = {
    'time-zone': () => live.timeZone.name,
    'my-names': () => (live.settings.ownNames ?? []).join(', '),
    'public-url': () => live.publicUrl,
    'ledger-queries': () => (live.settings.showQueries ? 'on' : 'off'),
  }
  const apply: Record<OwnerSetting['name'], (value: string) => string> = {
    'time-zone'(value) {
      live.timeZone.become(value)
      return live.timeZone.name
    },
    'my-names'(value) {
      const names = ownNamesIn(value)
      if (names === null) throw invalidRequest(`Your names ${NOT_OWN_NAMES}`)
      live.settings.ownNames = names
      return names.join(', ')
    },
    'public-url'(value) {
      const origin = publicOrigin(value)
      if (origin !== null) return origin
      const message =
        'The address must begin with http:// or https:// and end after the host and its port, such as https://footnote.example.org.'
      throw invalidRequest(message)
    },
    'ledger-queries'(value) {
      live.settings.showQueries = value === 'on'
      return live.settings.showQueries ? 'on' : 'off'
    },
  }
  return {
    read() {
      const found = keptOrReason()
      const known = typeof found === 'string' ? {} : found
      return (Object.keys(inForce) as OwnerSetting['name'][]).map(name => ({
        name,
        value: inForce[name](),
        kept: known[name] === undefined ? null : String(known[name]),
        fixed: fixed[name] ?? null,
      }))
    },
    change(name, value) {
      if (fixed[name] !== undefined)
        throw invalidRequest(`This is set by ${fixed[name]} where Footnote is started.`)
      const others = keptOrReason()
      if (typeof others === 'string') {
        const message = `The setting cannot be saved: ${others} Correct the file, then try again.`
        throw invalidRequest(message)
      }
      const before = inForce[name]()
      const next = apply[name](value)
      try {
        write(file, { ...others, [name]: next })
        return next
      } catch (error) {
        if (name !== 'public-url') apply[name](before)
        const { code = '' } = error as NodeJS.ErrnoException
        throw invalidRequest(`The settings cannot be saved: ${file} cannot be written (${code}).`)
      }
    },
  }
}

/** The file may contain secrets. */
function write(file: string, settings: Record<string, string | number>): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? OWNER_ONLY
  replaceFile(file, `${JSON.stringify(settings, null, 2)}\n`, mode)
}
