import { renameSync, statSync, writeFileSync } from 'node:fs'
import { CodedError } from '../model/errors.ts'
import { publicOrigin } from '../origin/address.ts'
import type { LiveSettings, Surroundings } from '../origin/server.ts'
import type { Config } from './config.ts'
import { SETTINGS } from './settings.ts'
import { settingsIn } from './settings-file.ts'

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
  const inForce: Record<OwnerSetting['name'], () => string> = {
    'time-zone': () => live.timeZone.name,
    'public-url': () => live.publicUrl,
    'ledger-queries': () => (live.showQueries ? 'on' : 'off'),
  }
  const apply: Record<OwnerSetting['name'], (value: string) => string> = {
    'time-zone'(value) {
      live.timeZone.become(value)
      return live.timeZone.name
    },
    'public-url'(value) {
      const origin = publicOrigin(value)
      if (origin !== null) return origin
      const message = 'The address must be an origin without a path, such as https://footnote.example.org.'
      throw new CodedError('invalid_request', message)
    },
    'ledger-queries'(value) {
      live.showQueries = value === 'on'
      return live.showQueries ? 'on' : 'off'
    },
  }
  return {
    read() {
      const found = kept()
      return (Object.keys(inForce) as OwnerSetting['name'][]).map(name => ({
        name,
        value: inForce[name](),
        kept: found[name] === undefined ? null : String(found[name]),
        fixed: fixed[name] ?? null,
      }))
    },
    change(name, value) {
      if (fixed[name] !== undefined)
        throw new CodedError('invalid_request', `This is set by ${fixed[name]} where Footnote is started.`)
      const before = inForce[name]()
      const next = apply[name](value)
      try {
        write(file, { ...kept(), [name]: next })
        return next
      } catch (error) {
        if (name !== 'public-url') apply[name](before)
        const { code = '' } = error as NodeJS.ErrnoException
        throw new CodedError(
          'invalid_request',
          `The settings cannot be saved: ${file} cannot be written (${code}).`,
        )
      }
    },
  }
}

/** Replaces the file in one step, so that a crash leaves the old one or the new one. It may contain secrets. */
function write(file: string, settings: Record<string, string | number>): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? OWNER_ONLY
  const beside = `${file}.new`
  writeFileSync(beside, `${JSON.stringify(settings, null, 2)}\n`, { mode })
  renameSync(beside, file)
}
