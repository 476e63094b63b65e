import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { answerQuestions } from '../src/meaning/process.ts'

/** Returns whether something succeeds. */
function can(work: () => unknown): 0 | 1 {
  try {
    return work() ? 1 : 0
  } catch {
    return 0
  }
}

// A model that tries forbidden things, to show what its process may do.
if (import.meta.main) {
  answerQuestions({
    embed: async () =>
      Int8Array.of(
        can(() => readFileSync('/etc/hosts')),
        can(() => process.env.PATH !== undefined || process.env.HOME !== undefined),
        can(() => execFileSync('true')),
      ),
    knows: () => 1,
  })
  process.send?.('ready')
}
