import type { Json } from '../../model/json.ts'
import type { SourceFile } from '../source/source.ts'

/** Finds the file that an export names by its path. */
export type FindMedia = (uri: Json | undefined) => SourceFile | undefined
