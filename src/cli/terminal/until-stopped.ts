const LOOK_MS = 500
/** Whatever still holds the process up after this is given up. */
const LONGEST_END_MS = 10_000

/**
 * Returns when the process is asked to end. npm passes a signal on to a shell that does not pass it on further, so a
 * server that npm started also ends when the shell it was started by is gone.
 */
export async function untilStopped(startedByNpm: boolean): Promise<void> {
  await asked(startedByNpm)
  setTimeout(() => process.exit(1), LONGEST_END_MS).unref()
}

function asked(startedByNpm: boolean): Promise<void> {
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve())
    if (!startedByNpm) return
    const starter = process.ppid
    // It keeps nothing alive: once the server is closed, the process ends.
    setInterval(() => {
      if (process.ppid !== starter) resolve()
    }, LOOK_MS).unref()
  })
}
