/** Whether a text can be a part of a result id: no separators, no traversal, nothing that breaks a line (ID-2, ID-11). */
export function isSegment(text: string): boolean {
  return text !== '' && text !== '.' && !/[/\\]|\.\.|\s|\p{C}/u.test(text)
}
