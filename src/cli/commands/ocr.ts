import { uninstall } from '../../data-folder/installation.ts'
import { OCR, ocrFolder } from '../../importers/ocr/installation.ts'
import type { Command, Invocation } from '../command.ts'
import { installWithConsent } from '../terminal/installing.ts'

const DISK_BYTES = 10_000_000

export const ocrOn: Command = {
  name: 'ocr on',
  usage: 'footnote ocr on [--yes]',
  examples: ['footnote ocr on', 'footnote ocr on --yes'],
  async run(invocation) {
    const { print } = invocation
    if (isOn(invocation)) return print('Text recognition is on already.')
    await installWithConsent(invocation, OCR, {
      diskBytes: DISK_BYTES,
      told: [
        'Imports then also read the text of scanned PDFs and of attached pictures (PNG and JPEG), in English. A page takes a few seconds.',
        'Recognised text may be wrong. Wherever it is shown, it is marked as recognised.',
      ],
    })
    print('Text recognition is on. To read scans that are imported already, import their files again.')
  },
}

export const ocrOff: Command = {
  name: 'ocr off',
  usage: 'footnote ocr off',
  examples: ['footnote ocr off'],
  async run({ config, print }) {
    uninstall(config.location.directory, OCR)
    print('Text recognition is off. Texts that were recognised stay until their files are imported again.')
  },
}

export const ocrStatus: Command = {
  name: 'ocr status',
  usage: 'footnote ocr status [--json]',
  examples: ['footnote ocr status', 'footnote ocr status --json'],
  async run(invocation) {
    const { values, print, spelled } = invocation
    const on = isOn(invocation)
    if (values.json) return print(JSON.stringify({ on }))
    print(
      on ? 'Text recognition is on.' : spelled('Text recognition is off. Turn it on with footnote ocr on.'),
    )
  },
}

function isOn({ config }: Invocation): boolean {
  return ocrFolder(config.location.directory) !== null
}
