import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { install, installedFolder } from '../src/data-folder/installation.ts'
import { OCR } from '../src/importers/ocr/installation.ts'

/** Pictures of this width make the stand-in run forever, or fail. */
export const ENDLESS = 333
export const FAILING = 334

/** "Recognises" the size of a picture and the colour of its first point. */
const ENGINE = `
export async function createOCREngine({ wasmBinary }) {
  let image = null
  let model = ''
  return {
    loadModel: bytes => { model = new TextDecoder().decode(bytes) },
    loadImage: given => { image = given },
    clearImage: () => { image = null },
    getText() {
      if (image.width === ${ENDLESS}) for (;;) {}
      if (image.width === ${FAILING}) throw new Error('out of ideas')
      return 'A picture of ' + image.width + ' by ' + image.height + ' points, ' + model + ' ' + [...image.data.slice(0, 3)]
    },
  }
}
`
/** "Decodes" a file whose size is written after its signature. */
const decoder = (at: number) =>
  `bytes => { const [width, height] = [bytes.readUInt32BE(${at}), bytes.readUInt32BE(${at + 4})]; return { width, height, data: new Uint8Array(width * height * 4).fill(9) } }`

const FILES: Record<string, string | Buffer> = {
  'tesseract-wasm/package.json': '{"type":"module"}',
  'tesseract-wasm/dist/lib.js': ENGINE,
  'tesseract-wasm/dist/tesseract-core.wasm': 'none',
  '@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz': gzipSync('in English'),
  'jpeg-js/index.js': `module.exports = { decode: ${decoder(4)} }`,
  'pngjs/lib/png.js': `exports.PNG = { sync: { read: ${decoder(16)} } }`,
}

/** Turns on text recognition in a data folder, with a stand-in for what npm would install. Returns its path. */
export async function standInOcr(directory: string): Promise<string> {
  await install(directory, OCR, async folder => {
    for (const [path, content] of Object.entries(FILES)) {
      const file = join(folder, 'node_modules', path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content)
    }
  })
  return installedFolder(directory, OCR)
}

/** The header of a PNG of this size, which is all that the stand-in reads. */
export function pngOf(width: number, height: number): Buffer {
  const png = Buffer.alloc(24)
  png.write('\x89PNG\r\n\x1a\n', 'latin1')
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  return png
}

/** The contents of a page of a PDF that is a grey picture. */
export function scanned(width: number, height: number, grey: number): Buffer {
  return Buffer.concat([
    Buffer.from(`q 600 0 0 700 0 0 cm\nBI /W ${width} /H ${height} /CS /G /BPC 8\nID `),
    Buffer.alloc(width * height, grey),
    Buffer.from('\nEI\nQ\n'),
  ])
}
