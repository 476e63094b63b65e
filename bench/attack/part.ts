import type { World } from './world.ts'

/** The result of one attack. */
export interface Finding {
  what: string
  /** Measured values in the order of their columns, such as `['processor', '0.4 s']`. */
  figures: readonly (readonly [name: string, value: string])[]
  held: boolean
}

/** A kind of attack. A new one is a file with a value of this type, and a line in parts.ts. */
export interface AttackPart {
  name: string
  run(world: World): Promise<Finding[]>
}
