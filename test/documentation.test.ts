import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { loadCommands } from '../src/cli/commands.ts'
import { SETTINGS } from '../src/cli/settings.ts'
import { APP_TOOLS } from '../src/mcp/apps.ts'
import { PROMPTS } from '../src/mcp/protocol/prompts.ts'
import { RESOURCE_TEMPLATES } from '../src/mcp/protocol/resources.ts'
import { TOOLS } from '../src/mcp/tools.ts'
import { ERRORS } from '../src/model/errors.ts'
import { ROUTES } from '../src/resource-server/routes.ts'
import { AuthorizationWorld } from './authorization-world.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

function files(): string[] {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const paths = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' }).split('\0')
  return paths.filter(path => statSync(join(ROOT, path), { throwIfNoEntry: false })?.isFile())
}

/** The captured groups of every match, joined by spaces and sorted. */
function collect(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(match => match.slice(1).join(' ')))].sort()
}

test('every route is a heading of the HTTP reference, and no other route is named there', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const page = read('docs/reference/http-api.md')
  const routes = world.server.routes
    .filter(({ method }) => method !== 'OPTIONS')
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`)
    .sort()
  assert.deepEqual(collect(page, /^#+ `?(GET|POST|PUT|PATCH|DELETE) (\/[^\s`]*)`?$/gm), routes)
  const named = collect(page, /\b(GET|POST|PUT|PATCH|DELETE) (\/[^\s`?"']*)/g)
  assert.deepEqual(
    named.filter(route => !routes.includes(route)),
    [],
  )
})

test('every query parameter of a route is listed in its section of the HTTP reference', () => {
  const page = read('docs/reference/http-api.md')
  const sections = new Map(page.split(/^### /m).map(text => [text.slice(0, text.indexOf('\n')), text]))
  const missing = ROUTES.flatMap(({ method, path, parameters }) => {
    const name = `${method} ${path.replace(/:(\w+)/g, '{$1}')}`
    const section = sections.get(name) ?? ''
    const written = (parameter: string) =>
      ['filter', 'where'].includes(parameter) ? `\`${parameter}[` : `\`${parameter}\``
    return Object.keys(parameters)
      .filter(each => !section.includes(written(each)))
      .map(each => `${name}: ${each}`)
  })
  assert.deepEqual(missing, [])
})

test('every code of a rejected line is listed in the section on ingest, and no other', () => {
  const source = files().filter(path => path.startsWith('src/') && path.endsWith('.ts'))
  const codes = collect(source.map(read).join('\n'), /new Rejection\(\s*'(\w+)'/g)
  const page = read('docs/reference/http-api.md')
  const table = page.slice(page.indexOf('| rejection |'), page.indexOf('### DELETE /v1/streams/'))
  assert.deepEqual(collect(table, /^\| `(\w+)` \|/gm), codes)
})

test('every code of a warning is listed in the HTTP reference, and no other', () => {
  const source = files().filter(path => /^src\/(api|resource-server)\//.test(path) && path.endsWith('.ts'))
  const codes = collect(source.map(read).join('\n'), /\{\s*code: '(\w+)'/g)
  const page = read('docs/reference/http-api.md')
  const table = page.slice(page.indexOf('| warning |'), page.indexOf('A page cursor'))
  assert.deepEqual(collect(table, /^\| `(\w+)` \|/gm), codes)
})

test('every error code is listed in the error reference with its status, and no other', () => {
  const codes = Object.entries(ERRORS).map(([code, status]) => `${code} ${status}`)
  assert.deepEqual(collect(read('docs/reference/errors.md'), /^\| `([\w.]+)` \| (\d{3}) \|/gm), codes.sort())
})

test('every setting is listed in the settings reference with flag and variable, and no other', () => {
  const page = read('docs/reference/settings.md')
  const settings = SETTINGS.map(({ flag, env }) => `${flag} ${env}`).sort()
  assert.deepEqual(collect(page, /^\| `(--[a-z-]+)[^`]*` \| `(\w+)` \|/gm), settings)
})

test('every other variable that the configuration reads is listed in the settings reference, and no other', () => {
  const page = read('docs/reference/settings.md')
  const part = page.slice(
    page.indexOf('## Variables of footnote mcp'),
    page.indexOf('## Choosing the engine'),
  )
  const variables = collect(read('src/cli/config.ts'), /\benv\.(\w+)/g)
  assert.deepEqual(collect(part, /^\| `(\w+)` \|/gm), variables)
})

test('every tool and its arguments are listed in the MCP reference, and no others', () => {
  const page = read('docs/reference/mcp.md')
  const tools = page.slice(page.indexOf('## Tools'), page.indexOf('## Resources')).split(/^### /m).slice(1)
  const described = tools.map(text => [text.slice(0, text.indexOf('\n')), collect(text, /^\| `(\w+)` \|/gm)])
  assert.deepEqual(
    described,
    [...TOOLS, ...APP_TOOLS].map(({ name, input }) => [name, Object.keys(input.properties).sort()]),
  )
})

test('every resource template and prompt is listed in the MCP reference, and no other', () => {
  const page = read('docs/reference/mcp.md')
  const templates = RESOURCE_TEMPLATES.map(({ uriTemplate }) => uriTemplate).sort()
  assert.deepEqual(collect(page, /^\| `(pdpp:\/\/[^`]+)` \|/gm), templates)
  const prompts = page.slice(page.indexOf('## Prompts'), page.indexOf('## Errors'))
  assert.deepEqual(collect(prompts, /^\| `(\w+)` \|/gm), PROMPTS.map(({ name }) => name).sort())
})

test('every command is a heading of the command reference, and no other', async () => {
  const commands = (await loadCommands()).map(command => command.name).sort()
  assert.deepEqual(collect(read('docs/reference/cli.md'), /^## footnote (.+)$/gm), commands)
})

test('every table is listed in the storage reference, and no other', () => {
  const source = files().filter(path => path.startsWith('src/store/') && !path.endsWith('.test.ts'))
  const made = collect(source.map(read).join('\n'), /CREATE TABLE (?:IF NOT EXISTS )?(\w+) ?\(/g)
  const page = read('docs/reference/storage.md')
  const rows = page
    .slice(page.indexOf('| tables |'))
    .split('\n')
    .filter(line => line.startsWith('| `'))
  const named = rows.flatMap(line => collect(line.split('|')[1] ?? '', /`(\w+)`/g)).sort()
  assert.deepEqual(named, made)
})

test('every page under docs is listed in its index', () => {
  const index = read('docs/README.md')
  const pages = files().filter(path => /^docs\/(explanation|how-to|reference|decisions)\/.+\.md$/.test(path))
  assert.deepEqual(
    pages.filter(path => !index.includes(`](${path.slice('docs/'.length)})`)),
    [],
  )
})

/** Heading anchors as common Markdown renderers create them. */
function anchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function deadLinks(path: string, markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '')
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(match => match[1] ?? '')
  return targets.filter(target => {
    if (/^[a-z]+:/.test(target)) return false
    const [file = '', anchor] = target.split('#')
    const found = file === '' ? path : join(dirname(path), file)
    if (!existsSync(join(ROOT, found))) return true
    return anchor !== undefined && !anchors(read(found)).includes(anchor)
  })
}

test('no Markdown file has a dead relative link', () => {
  const dead = files()
    .filter(path => path.endsWith('.md'))
    .flatMap(path => deadLinks(path, read(path)).map(target => `${path}: ${target}`))
  assert.deepEqual(dead, [])
})

test('the link check finds a missing file and a missing anchor', () => {
  const links = '[a](README.md) [b](nowhere.md) [c](README.md#no-such-heading) [d](https://example.org)'
  assert.deepEqual(deadLinks('docs/x.md', links), ['nowhere.md', 'README.md#no-such-heading'])
})

test('every source file that a page names exists', () => {
  const missing = files()
    .filter(path => path.endsWith('.md'))
    .flatMap(path => {
      const named = [...read(path).matchAll(/`((?:[a-z-]+\/)+[a-z-]+(?:\.test)?\.ts)`/g)].map(
        match => match[1] ?? '',
      )
      const exists = (file: string) => [file, `src/${file}`].some(each => existsSync(join(ROOT, each)))
      return named.filter(file => !exists(file)).map(file => `${path}: ${file}`)
    })
  assert.deepEqual(missing, [])
})

test('no file names a place outside the project', () => {
  // Spelled in pieces so that this file passes its own check.
  const places = [['', 'work', ''].join('/'), ['registry', 'npmjs', 'org'].join('.')]
  const mirror = /"resolved": "https?:|^registry\s*=/m
  const named = files().filter(path => {
    const text = read(path)
    return !text.includes('\0') && (mirror.test(text) || places.some(place => text.includes(place)))
  })
  assert.deepEqual(named, [])
})
