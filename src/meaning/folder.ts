import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The model as it is loaded, and its vocabulary, a piece on each line. */
export const GRAPH_FILE = 'model.onnx'
export const VOCABULARY_FILE = 'vocabulary.txt'
/** Written last, when everything else is there: meaning is on while it exists. */
const MARK = 'ready.json'

/** Where meaning is installed, in the data folder. */
export function meaningFolder(directory: string): string {
  return join(directory, 'meaning')
}

export function markFile(directory: string): string {
  return join(meaningFolder(directory), MARK)
}

export function isMeaningOn(directory: string): boolean {
  return existsSync(markFile(directory))
}
