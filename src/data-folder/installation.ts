import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package that npm installs, with the checksum that npm verifies. */
export interface InstalledPackage {
  name: string
  version: string
  licence: string
  /** The size of the download. */
  bytes: number
  what: string
  integrity: string
  dependencies?: Record<string, string>
}

/** Something optional that the owner can install into the data folder, with a command that says what it downloads. */
export interface Installation {
  /** Its folder in the data folder. */
  name: string
  /** The command that installs it. */
  command: string
  packages: readonly InstalledPackage[]
  /** Converts what npm installed into what is loaded. */
  prepare?(folder: string): void
}

/** Runs npm in a folder until it ends; fails if npm fails. */
type RunNpm = (folder: string, args: readonly string[]) => Promise<void>

/** Installs exactly what the lock file says, verified by its checksums, without scripts. */
export const NPM_ARGS = [
  'ci',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--loglevel=error',
]

export function installedFolder(directory: string, { name }: Pick<Installation, 'name'>): string {
  return join(directory, name)
}

/** Written last, when everything else is complete: the installation is on while this file exists. */
export function markFile(directory: string, installation: Pick<Installation, 'name'>): string {
  return join(installedFolder(directory, installation), 'ready.json')
}

export function isInstalled(directory: string, installation: Pick<Installation, 'name'>): boolean {
  return existsSync(markFile(directory, installation))
}

/** Installs the packages. Nothing is downloaded after this. */
export async function install(directory: string, installation: Installation, runNpm: RunNpm): Promise<void> {
  const folder = installedFolder(directory, installation)
  uninstall(directory, installation)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifestOf(installation), null, 2))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lockFileOf(installation), null, 2))
  await runNpm(folder, NPM_ARGS)
  installation.prepare?.(folder)
  const installed = installation.packages.map(({ name, version }) => `${name}@${version}`)
  writeFileSync(markFile(directory, installation), `${JSON.stringify({ installed })}\n`)
}

export function uninstall(directory: string, installation: Pick<Installation, 'name'>): void {
  rmSync(markFile(directory, installation), { force: true })
  rmSync(installedFolder(directory, installation), { recursive: true, force: true })
}

/** `package.json` and the lock file, from which npm installs exactly these packages. */
export function manifestOf({ command, packages }: Installation) {
  return { private: true, description: `Installed by ${command}.`, dependencies: wanted(packages) }
}

export function lockFileOf({ packages }: Installation) {
  return {
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { dependencies: wanted(packages) },
      ...Object.fromEntries(
        packages.map(({ name, version, integrity, dependencies }) => [
          `node_modules/${name}`,
          { version, integrity, ...(dependencies && { dependencies }) },
        ]),
      ),
    },
  }
}

/** The packages that no other one depends on. */
function wanted(packages: readonly InstalledPackage[]): Record<string, string> {
  const brought = new Set(packages.flatMap(({ dependencies }) => Object.keys(dependencies ?? {})))
  return Object.fromEntries(
    packages.filter(({ name }) => !brought.has(name)).map(({ name, version }) => [name, version]),
  )
}
