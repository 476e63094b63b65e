/** Failures of the server's own, one line each on stderr, without record data. */
export function logError(error: unknown, request_id: string): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const place = stack?.split('\n')[1]?.trim() ?? ''
  process.stderr.write(`${new Date().toISOString()} ${request_id} ${name}: ${message} ${place}\n`)
}
