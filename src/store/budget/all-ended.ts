/**
 * Like Promise.all, but a failure is thrown only after everything has ended. A search continues after one part of it
 * ran out of time, and what is left of that part would use the time of the next.
 */
export async function allEnded<T extends readonly unknown[] | []>(
  works: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(works)
  return Promise.all(works)
}
