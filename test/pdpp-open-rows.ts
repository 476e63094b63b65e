/** The rows that Footnote still breaks. */
export const FAILING: readonly string[] = []
