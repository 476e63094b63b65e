import type { OwnerSetting, OwnerSettings } from '../console/environment.ts'
import type { Store } from '../store/store.ts'

/** Stored settings. */
export interface KeptSettings {
  read(): OwnerSetting[]
  /** Stores a value and returns it as stored; throws if it is invalid. */
  change(name: OwnerSetting['name'], value: string): string
}

/** The same settings, with each change recorded in the audit trail. */
export function notedSettings(kept: KeptSettings, store: Store, clock: () => Date): OwnerSettings {
  const stateOf = (name: OwnerSetting['name']) => {
    const setting = kept.read().find(each => each.name === name)
    return setting?.kept ?? setting?.value
  }
  return {
    read: () => kept.read(),
    async change(name, value) {
      const before = stateOf(name)
      const after = kept.change(name, value)
      if (after === before) return
      const event = { at: clock().toISOString(), event: 'setting_changed', actor: 'owner' } as const
      const detail = `${name}: ${after}`
      await store.writer.call('noteEvent', { owner_id: store.owner_id, event: { ...event, detail } })
    },
  }
}
