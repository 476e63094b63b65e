/** Begins to count the processor time of this process in milliseconds: how busy the machine is, it does not matter. */
export function processorTime(): () => number {
  const began = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(began)
    return (user + system) / 1_000
  }
}
