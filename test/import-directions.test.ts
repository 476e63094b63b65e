import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { test } from 'node:test'

/** The architecture: which folder of src may import which others. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  model: [],
  api: ['model'],
  'data-folder': ['model'],
  store: ['model', 'api', 'data-folder'],
  'resource-server': ['model', 'api', 'store'],
  'authorization-server': ['model', 'api', 'store', 'pages'],
  importers: ['model', 'api', 'data-folder'],
  sync: ['model', 'api', 'data-folder', 'importers'],
  mcp: ['model', 'api'],
  pages: ['model', 'api'],
  clients: ['model'],
  console: ['model', 'api', 'pages', 'clients'],
  samples: ['model', 'api'],
  meaning: ['model', 'data-folder'],
  origin: ['model', 'api', 'meaning', 'store', 'resource-server', 'authorization-server', 'mcp', 'console'],
  cli: [
    'model',
    'api',
    'data-folder',
    'meaning',
    'resource-server',
    'importers',
    'sync',
    'mcp',
    'clients',
    'samples',
    'origin',
  ],
}

/**
 * The files that may import the store although their folder may not: those that copy, restore or examine the data files
 * themselves, and the one that limits the memory of an import. Every other command uses the routes, like a client.
 */
const MAY_IMPORT_STORE = [
  'src/cli/commands/backup.ts',
  'src/cli/commands/doctor.ts',
  'src/cli/commands/restore.ts',
  'src/cli/import/import.ts',
  'src/cli/import/import-run.ts',
]

/**
 * The rooms inside the folders: which room may import which other rooms of its folder. A file directly in a folder may
 * import every room of it, and is imported by rooms only where `.` is listed.
 */
const ROOMS: Record<string, Record<string, readonly string[]>> = {
  model: {
    text: ['.'],
    declaration: ['.', 'text'],
    access: ['.', 'text', 'declaration'],
    reading: ['.', 'text', 'declaration', 'access'],
    ids: ['.', 'text', 'declaration', 'reading'],
    search: ['.', 'text', 'declaration', 'access', 'reading', 'ids'],
  },
  api: {
    owner: ['.'],
  },
  store: {
    engine: [],
    budget: ['engine'],
    names: ['engine'],
    records: ['engine', 'budget', 'names'],
    analysis: ['.'],
    search: ['engine', 'budget', 'names', 'records', 'analysis'],
    ingest: ['engine', 'names', 'records', 'analysis', 'search'],
    access: ['engine'],
    ledger: ['engine', 'access'],
    'sign-in': ['engine', 'access'],
    transfer: ['engine', 'records', 'ingest', 'access'],
    threads: ['.', 'engine', 'budget', 'records', 'search', 'ingest', 'access', 'sign-in'],
  },
  'resource-server': {
    request: [],
    reads: ['request', '.'],
    owner: ['request', 'reads'],
  },
  'authorization-server': {
    owner: ['.'],
    consent: ['.', 'owner'],
    oauth: ['.'],
  },
  mcp: {
    text: [],
    reading: ['text', '.'],
    'nothing-found': ['text', 'reading'],
    rendering: ['.', 'text', 'reading', 'nothing-found'],
    asked: ['.', 'text', 'reading'],
    tools: ['.', 'text', 'reading', 'nothing-found', 'rendering', 'asked'],
    research: ['.', 'text', 'reading', 'rendering', 'asked'],
    apps: ['.', 'text', 'reading', 'rendering'],
    protocol: ['.', 'text', 'reading', 'rendering'],
  },
  console: {
    apps: ['.'],
    search: ['.', 'apps'],
    record: ['.', 'search'],
    activity: ['.', 'apps'],
    people: ['.'],
    settings: ['.', 'apps'],
    sources: ['.', 'apps'],
    home: ['.', 'apps', 'activity', 'sources'],
  },
  cli: {
    terminal: ['.'],
    connect: ['.', 'terminal', 'commands'],
    apps: ['.', 'terminal'],
    import: ['.', 'terminal', 'apps'],
    sources: ['.', 'terminal', 'import'],
    sync: ['.', 'terminal', 'import', 'sources'],
    tour: ['.', 'terminal', 'commands'],
    commands: ['.', 'terminal', 'connect', 'import', 'tour'],
  },
}

/** With more files than this, a folder is hard to read. */
const MOST_FILES = 20

const READS_ENVIRONMENT = 'src/cli/config.ts'
const ENVIRONMENT =
  /\bprocess\s*\.\s*env\b|\{[^{}]*\benv\b[^{}]*\}\s*(?:=\s*process\b|from\s*['"](?:node:)?process['"])/
const INPUT_OUTPUT = /^(?:node:)?(?:fs|net|tls|dgram|dns|https?|http2|child_process|worker_threads)(?:\/|$)/
const CLOCK_OR_RANDOM = /\bDate\.now\b|\bnew Date\b(?!\s*\(\s*[^\s)])|\bperformance\.now\b|\bMath\.random\b/g
const EMPTY_NAME = /^(?:utils?|helpers?|common|misc|services?)$/

const LITERAL_OR_COMMENT =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/.*|\/\*[\s\S]*?\*\//g
// Static imports and re-exports, dynamic imports, and the files that workers are started from.
const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)(['"`])([^'"`\n]+)\1/g

function codeOf(source: string): string {
  return source.replace(LITERAL_OR_COMMENT, text => (/^\/[/*]/.test(text) ? ' ' : text))
}

function specifiersIn(code: string): string[] {
  return [...code.matchAll(SPECIFIER)].map(match => match[2] ?? '')
}

/** The file that a relative specifier leads to. */
function targetOf(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier)
}

function violations(path: string, source: string): string[] {
  const code = codeOf(source)
  const isTest = path.endsWith('.test.ts')
  const folder = path.split('/')[1] ?? ''
  const allowed = MAY_IMPORT[folder]
  if (!allowed) return [`${path} is in no folder of the architecture`]

  const found: string[] = []
  const mayImportStore = MAY_IMPORT_STORE.includes(path)
  for (const specifier of specifiersIn(code)) {
    if (folder === 'model' && !isTest && INPUT_OUTPUT.test(specifier)) found.push(`imports ${specifier}`)
    if (!specifier.startsWith('.')) continue
    const target = targetOf(path, specifier)
    const [top, targetFolder = ''] = target.split('/')
    const outside = top !== 'src' && target !== 'package.json' && !(isTest && top === 'test')
    const mayKnow = allowed.includes(targetFolder) || (targetFolder === 'store' && mayImportStore)
    const across = top === 'src' && targetFolder !== folder && !mayKnow
    if (outside || across || isBetweenRooms(path, target)) found.push(`imports ${target}`)
  }
  if (!isTest && path !== READS_ENVIRONMENT && ENVIRONMENT.test(code)) found.push('reads process.env')
  if (!isTest && folder === 'model')
    found.push(...(code.match(CLOCK_OR_RANDOM) ?? []).map(call => `uses ${call}`))
  return found.map(what => `${path} ${what}`)
}

/** Whether an import inside a folder goes from one room to another that it may not import. */
function isBetweenRooms(path: string, target: string): boolean {
  const [, folder = '', room = ''] = path.split('/')
  const [, targetFolder, targetRoom = ''] = target.split('/')
  const allowed = ROOMS[folder]?.[room]
  if (!allowed || targetFolder !== folder || targetRoom === room) return false
  return !allowed.includes(targetRoom.endsWith('.ts') ? '.' : targetRoom)
}

/** A circular import of a file, including imports of types; null if there is none. */
function circularImportIn(sources: ReadonlyMap<string, string>): string[] | null {
  const clear = new Set<string>()
  const follow = (path: string, way: readonly string[]): string[] | null => {
    const before = way.indexOf(path)
    if (before !== -1) return [...way.slice(before), path]
    const source = clear.has(path) ? undefined : sources.get(path)
    if (source === undefined) return null
    for (const specifier of specifiersIn(codeOf(source))) {
      const circle = specifier.startsWith('.') ? follow(targetOf(path, specifier), [...way, path]) : null
      if (circle) return circle
    }
    clear.add(path)
    return null
  }
  for (const path of sources.keys()) {
    const circle = follow(path, [])
    if (circle) return circle
  }
  return null
}

function nameViolations(path: string): string[] {
  const segments = path.replace(/(\.test)?\.ts$/, '').split('/')
  const empty = segments
    .filter(segment => EMPTY_NAME.test(segment))
    .map(name => `${path}: "${name}" says nothing`)
  return posix.basename(path) === 'index.ts' ? [...empty, `${path} is a barrel`] : empty
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(import.meta.dirname, '..', folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => posix.join(folder, file.replaceAll('\\', '/')))
}

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

test('every file with an exception to import the store still uses it', () => {
  const stale = MAY_IMPORT_STORE.filter(path => !/from '\.\.\/\.\.\/store\//.test(read(path)))
  assert.deepEqual(stale, [])
})

test('imports follow the table, only cli/config.ts reads the environment, the model is pure', () => {
  assert.deepEqual(
    sourceFiles('src').flatMap(path => violations(path, read(path))),
    [],
  )
})

test('there are no circular imports', () => {
  assert.equal(circularImportIn(new Map(sourceFiles('src').map(path => [path, read(path)]))), null)
})

test('no folder or file has a meaningless name, and there are no barrels', () => {
  assert.deepEqual(['src', 'test', 'bench'].flatMap(sourceFiles).flatMap(nameViolations), [])
})

test('every room is in the table and has at most 20 files', () => {
  const counts = Map.groupBy(
    sourceFiles('src').filter(path => !path.endsWith('.test.ts')),
    path => posix.dirname(path),
  )
  assert.deepEqual(
    [...counts].flatMap(([folder, files]) =>
      files.length > MOST_FILES ? [`${folder}: ${files.length}`] : [],
    ),
    [],
  )
  const found = [...counts.keys()].flatMap(path => {
    const [, folder = '', room] = path.split('/')
    return ROOMS[folder] && room ? [`${folder}/${room}`] : []
  })
  const listed = Object.entries(ROOMS).flatMap(([folder, rooms]) =>
    Object.keys(rooms).map(room => `${folder}/${room}`),
  )
  assert.deepEqual([...new Set(found)].sort(), listed.sort())
})

test('ARCHITECTURE.md shows the same table', () => {
  const rows = [...read('ARCHITECTURE.md').matchAll(/^\| `([a-z-]+)\/` \| ([^|]+) \|/gm)]
  const shown = rows.map(([, folder, cell]) => [folder, cell?.trim()])
  const expected = Object.entries(MAY_IMPORT).map(([folder, allowed]) => [folder, allowed.join(', ') || '–'])
  assert.deepEqual(shown, expected)
})

test('the checker catches every kind of forbidden import', () => {
  const caught = (path: string, source: string) => violations(path, source).length > 0
  assert.ok(caught('src/mcp/http.ts', "import { openStore } from '../store/open.ts'"))
  assert.ok(caught('src/mcp/http.ts', 'import type {\n  Store,\n} from "../store/open.ts"'))
  assert.ok(caught('src/mcp/http.ts', "export * from '../store/open.ts'"))
  assert.ok(caught('src/mcp/tools/fetch.ts', "const { openStore } = await import('../../store/open.ts')"))
  assert.ok(caught('src/model/grant.ts', "import '../store/open.ts'"))
  assert.ok(caught('src/model/grant.ts', "new Worker(new URL('../store/writer.ts', import.meta.url))"))
  assert.ok(caught('src/store/open.ts', "import { serve } from '../resource-server/resource-part.ts'"))
  assert.ok(caught('src/store/open.ts', "import { fixture } from '../../test/fixture.ts'"))
  assert.ok(caught('src/store/search/search.ts', "import { grants } from '../access/grants.ts'"))
  assert.ok(caught('src/store/engine/sqlite.ts', "import { Store } from '../store.ts'"))
  assert.ok(caught('src/cli/commands/grants.ts', "import { Store } from '../../store/store.ts'"))
  assert.ok(caught('src/origin/server.ts', "import { readConfig } from '../cli/config.ts'"))
  assert.ok(caught('src/elsewhere/open.ts', ''))
  assert.ok(caught('src/main.ts', ''))
})

test('the checker catches use of the environment, the clock, randomness and I/O in the model', () => {
  const caught = (path: string, source: string) => violations(path, source).length > 0
  assert.ok(caught('src/store/open.ts', 'const port = process.env.PORT'))
  assert.ok(caught('src/cli/main.ts', 'const { PORT } = process.env'))
  assert.ok(caught('src/cli/main.ts', 'const { argv, env } = process'))
  assert.ok(caught('src/cli/main.ts', "import { env } from 'node:process'"))
  assert.ok(caught('src/model/cursor.ts', 'const now = Date.now()'))
  assert.ok(caught('src/model/cursor.ts', 'const now = new Date()'))
  assert.ok(caught('src/model/cursor.ts', 'const now = new Date( )'))
  assert.ok(caught('src/model/cursor.ts', `const id = \`x\${Math.random()}\``))
  assert.ok(caught('src/model/cursor.ts', "import { readFile } from 'node:fs/promises'"))
  assert.ok(caught('src/model/cursor.ts', "import http from 'http'"))
})

test('the checker accepts what is allowed', () => {
  assert.deepEqual(violations('src/store/open.ts', "import { CodedError } from '../model/errors.ts'"), [])
  assert.deepEqual(violations('src/store/records/records.ts', "import { open } from './open.ts'"), [])
  assert.deepEqual(
    violations('src/store/open.test.ts', "import { fixture } from '../../test/fixture.ts'"),
    [],
  )
  assert.deepEqual(
    violations('src/cli/commands/backup.ts', "import { Store } from '../../store/store.ts'"),
    [],
  )
  assert.deepEqual(violations('src/cli/config.ts', 'const port = process.env.PORT'), [])
  assert.deepEqual(violations('src/model/time.ts', 'new Date(text) // never Date.now()'), [])
  assert.deepEqual(violations('src/model/digest.ts', "import { createHash } from 'node:crypto'"), [])
  assert.deepEqual(nameViolations('src/store/records/records.ts'), [])
})

test('the checker catches circular imports', () => {
  const files = {
    'src/mcp/tools.ts': "import { fetch } from './tools/fetch.ts'",
    'src/mcp/tools/fetch.ts': "import { a } from '../a.ts'\nimport { record } from '../record.ts'",
    'src/mcp/record.ts': "import type { Window } from './window.ts'",
    'src/mcp/a.ts': "import { isObject } from '../model/json.ts'",
  }
  const withWindow = (source: string) => new Map(Object.entries({ ...files, 'src/mcp/window.ts': source }))
  assert.equal(circularImportIn(withWindow("import { a } from './a.ts'")), null)
  assert.equal(circularImportIn(withWindow("// import { record } from './record.ts'")), null)
  assert.deepEqual(circularImportIn(withWindow("import { record } from './record.ts'")), [
    'src/mcp/record.ts',
    'src/mcp/window.ts',
    'src/mcp/record.ts',
  ])
  assert.deepEqual(circularImportIn(withWindow("export type { Tool } from './tools.ts'")), [
    'src/mcp/tools.ts',
    'src/mcp/tools/fetch.ts',
    'src/mcp/record.ts',
    'src/mcp/window.ts',
    'src/mcp/tools.ts',
  ])
})

test('the checker catches meaningless names and barrels', () => {
  for (const path of [
    'src/utils/a.ts',
    'src/model/helpers.ts',
    'src/store/index.ts',
    'src/store/misc.test.ts',
  ]) {
    assert.equal(nameViolations(path).length, 1, path)
  }
})
