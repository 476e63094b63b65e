/** How long a test may take, far more than any needs on a slow machine: one that waits for what never comes fails. */
export const TEST_MS = process.env.FOOTNOTE_PROVE === '1' ? 3_600_000 : 600_000

/** How long a process with tests may print nothing: a test that failed may have left it something to wait for. */
export const SILENT_MS = TEST_MS + 120_000
