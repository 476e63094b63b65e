/** How long a test may take, far more than any needs on a slow machine, so that a test that waits forever fails. */
export const TEST_MS = process.env.FOOTNOTE_PROVE === '1' ? 3_600_000 : 600_000

/** How long a test process may print nothing: a failed test may have left something for it to wait for. */
export const SILENT_MS = TEST_MS + 120_000
