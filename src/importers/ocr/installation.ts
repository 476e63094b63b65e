import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Installation, installedFolder, isInstalled } from '../../data-folder/installation.ts'

/** The trained data of Tesseract, in the form in which it is loaded. */
export const KNOWLEDGE_FILE = 'english.traineddata'

/** Text recognition, for scans and pictures. It reads English; other languages would need their own data. */
export const OCR: Installation = {
  name: 'ocr',
  command: 'footnote ocr on',
  packages: [
    {
      name: 'tesseract-wasm',
      version: '0.11.0',
      licence: 'BSD-2-Clause',
      bytes: 1_506_153,
      what: 'the Tesseract text recognition engine, compiled to WebAssembly',
      integrity:
        'sha512-a6TTRXTRKL6/zVa7lijMWEglLipqY10n7kG9QWr7rckknHkox+5PAzLbSluk+MfpbLgeXm6uoDI9ytezmJJr7Q==',
    },
    {
      name: '@tesseract.js-data/eng',
      version: '1.0.0',
      licence: 'MIT',
      bytes: 13_839_644,
      what: 'its trained data for English',
      integrity:
        'sha512-mbTumm6KQPUHyzTPQaF3ObXYnx0SqqfV2nabqFVQBwD6Kl7PhGSLSzOlfFTWy0P3BjghaSKA2W9GB19Jk+ZcTg==',
    },
    {
      name: 'jpeg-js',
      version: '0.4.4',
      licence: 'BSD-3-Clause',
      bytes: 21_818,
      what: 'decodes JPEG pictures',
      integrity:
        'sha512-WZzeDOEtTOBK4Mdsar0IqEU5sMr3vSV2RqkAIzUEV2BHnUfKGyswWFPFwK5EeDo93K3FohSHbLAjj0s1Wzd+dg==',
    },
    {
      name: 'pngjs',
      version: '7.0.0',
      licence: 'MIT',
      bytes: 160_939,
      what: 'decodes PNG pictures',
      integrity:
        'sha512-LKWqWJRhstyYo9pGvgor/ivk2w94eSjE3RGVuzLGlr3NmD8bf7RcYGze1mNdEHRP6TRP6rMuDHk5t44hnTRyow==',
    },
  ],
  prepare(folder) {
    const data = join(folder, 'node_modules', '@tesseract.js-data', 'eng')
    writeFileSync(
      join(folder, KNOWLEDGE_FILE),
      gunzipSync(readFileSync(join(data, '4.0.0_best_int', 'eng.traineddata.gz'))),
    )
    rmSync(data, { recursive: true })
  },
}

/** Where text recognition is installed in a data folder; null while it is off. */
export function ocrFolder(directory: string): string | null {
  return isInstalled(directory, OCR) ? installedFolder(directory, OCR) : null
}
