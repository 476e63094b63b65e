import { installedFolder, isInstalled, markFile } from '../data-folder/installation.ts'

/** The model as it is loaded, and its vocabulary, with one piece per line. */
export const GRAPH_FILE = 'model.onnx'
export const VOCABULARY_FILE = 'vocabulary.txt'

const PLACE = { name: 'meaning' }

/** Where meaning is installed, in the data folder. */
export function meaningFolder(directory: string): string {
  return installedFolder(directory, PLACE)
}

export function meaningMark(directory: string): string {
  return markFile(directory, PLACE)
}

export function isMeaningOn(directory: string): boolean {
  return isInstalled(directory, PLACE)
}
