/**
 * Starts measuring the processor time of this process in milliseconds, which does not depend on how busy the machine
 * is.
 */
export function processorTime(): () => number {
  const began = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(began)
    return (user + system) / 1_000
  }
}
