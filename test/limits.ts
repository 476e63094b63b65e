/** `npm run prove` runs the same tests with large counts. */
export const PROVING = process.env.FOOTNOTE_PROVE === '1'
export const count = (few: number, many: number): number => (PROVING ? many : few)

/**
 * How long a test may take. This is far more than any needs on a slow machine, so that only a test that hangs fails.
 */
export const TEST_MS = PROVING ? 3_600_000 : 600_000

/** How long a test process may print nothing, because a failed test may keep it from ending. */
export const SILENT_MS = TEST_MS + 120_000
