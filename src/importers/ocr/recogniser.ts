import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Extracted } from '../extraction/extracted.ts'
import { PageText } from '../extraction/page-text.ts'
import { KNOWLEDGE_FILE } from './installation.ts'
import {
  enoughOf,
  isJpegHead,
  isPictureHead,
  mayHoldText,
  type Picture,
  pictureOf,
  type RawPicture,
} from './picture.ts'

/** Reads the text in pictures. Only the worker of the extractor calls it. */
export interface Recogniser {
  textIn(picture: Picture): string
  /** Decodes a picture file; null if it cannot be decoded. */
  decode(bytes: Uint8Array): RawPicture | null
}

/** Loads the recogniser when it is first needed. */
export type LoadRecogniser = () => Promise<Recogniser>

/** The parts of tesseract-wasm that are used. */
interface Engine {
  loadModel(model: Uint8Array): void
  loadImage(image: Picture): void
  getText(): string
  clearImage(): void
}

const JPEG_LIMITS = { maxResolutionInMP: 80, maxMemoryUsageInMB: 768, tolerantDecoding: true }

/** Loads the recogniser from the folder where it is installed. */
export async function loadRecogniser(folder: string): Promise<Recogniser> {
  const modules = join(folder, 'node_modules')
  const load = (path: string) => import(pathToFileURL(join(modules, path)).href)
  const { createOCREngine } = await load('tesseract-wasm/dist/lib.js')
  const engine: Engine = await createOCREngine({
    wasmBinary: readFileSync(join(modules, 'tesseract-wasm/dist/tesseract-core.wasm')),
  })
  engine.loadModel(readFileSync(join(folder, KNOWLEDGE_FILE)))
  const { default: jpeg } = await load('jpeg-js/index.js')
  const { PNG } = (await load('pngjs/lib/png.js')).default
  return {
    textIn(picture) {
      if (!mayHoldText(picture)) return ''
      engine.loadImage(enoughOf(picture))
      try {
        return engine.getText()
      } finally {
        engine.clearImage()
      }
    },
    decode(bytes) {
      if (!isPictureHead(bytes)) return null
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      try {
        return isJpegHead(bytes)
          ? jpeg.decode(buffer, JPEG_LIMITS)
          : mayHoldText(sizeOfPng(buffer))
            ? PNG.sync.read(buffer)
            : null
      } catch {
        return null
      }
    },
  }
}

/** Reads a picture file as a document of one page. If it cannot be decoded, the text is empty. */
export function readPicture(bytes: Uint8Array, recogniser: Recogniser): Extracted {
  const text = new PageText('page')
  text.begin()
  const decoded = recogniser.decode(bytes)
  const picture = decoded && pictureOf(decoded)
  if (picture) text.addRecognised(recogniser.textIn(picture))
  return { kind: 'picture', ...text.end(), title: null, author: null, created_at: null }
}

/** Checked before decoding, because a small file can declare a huge picture. */
function sizeOfPng(bytes: Buffer): { width: number; height: number } {
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}
