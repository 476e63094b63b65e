import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

interface Locked {
  version: string
  license?: string
  integrity?: string
  dev?: true
  devOptional?: true
  optional?: true
}

interface Shipped {
  name: string
  version: string
  license: string
  integrity: string
}

/** The packages that are installed with Footnote without development dependencies, according to the lock file. */
export function shippedPackages(): Shipped[] {
  const { packages } = read('package-lock.json') as { packages: Record<string, Locked> }
  const shipped = Object.entries(packages).filter(
    ([path, { dev, devOptional }]) => path && !dev && !devOptional,
  )
  return shipped.map(([path, { version, license = 'none', integrity = '' }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return { name, version, license, integrity }
  })
}

/**
 * A software bill of materials in CycloneDX 1.5. `npm sbom --omit=dev` leaves out packages that a development dependency
 * needs as well.
 */
export function billOfMaterials(): object {
  const { name, version, license } = read('package.json') as Shipped
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', ...named(name, version), ...licensed(license) } },
    components: shippedPackages().map(each => ({
      type: 'library',
      ...named(each.name, each.version),
      ...licensed(each.license),
      ...(each.integrity && { hashes: [hashOf(each.integrity)] }),
    })),
  }
}

function named(name: string, version: string) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return { name, version, purl, 'bom-ref': purl }
}

function licensed(license: string) {
  return { licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }] }
}

function hashOf(integrity: string) {
  const [algorithm = '', digest = ''] = integrity.split(' ')[0]?.split('-') ?? []
  return {
    alg: algorithm.replace('sha', 'SHA-'),
    content: Buffer.from(digest, 'base64').toString('hex'),
  }
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(billOfMaterials(), null, 2)}\n`)
