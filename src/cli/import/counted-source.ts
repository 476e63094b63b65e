import type { Source } from '../../importers/source/source.ts'

/** A source that tells how many bytes of its files are read, each time they are read. */
export function countedSource(source: Source, onRead: (bytes: number) => void): Source {
  const files = source.files.map(file => ({
    ...file,
    async *open(start?: number) {
      for await (const chunk of file.open(start)) {
        onRead(chunk.length)
        yield chunk
      }
    },
  }))
  return { ...source, files }
}
