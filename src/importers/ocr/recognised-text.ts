import type { Extracted } from '../extraction/extracted.ts'
import { PageText } from '../extraction/page-text.ts'
import { pictureOf } from './picture.ts'
import type { Recogniser } from './recogniser.ts'

/** Loads the recogniser when it is first needed. */
export type LoadRecogniser = () => Promise<Recogniser>

/** Reads a picture file as a document of one page. If it cannot be decoded, the text is empty. */
export function readPicture(bytes: Uint8Array, recogniser: Recogniser): Extracted {
  const text = new PageText('page')
  text.begin()
  const decoded = recogniser.decode(bytes)
  const picture = decoded && pictureOf(decoded)
  if (picture) text.addRecognised(recogniser.textIn(picture))
  return { kind: 'picture', ...text.end(), title: null, author: null, created_at: null }
}
