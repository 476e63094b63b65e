/**
 * As Promise.all, but a failure is told once nothing runs any more: a search continues after a part of it ran out of time, and
 * what is left of that part would take the time of the next.
 */
export async function allEnded<T extends readonly unknown[] | []>(
  works: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(works)
  return Promise.all(works)
}
