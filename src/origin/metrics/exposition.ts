export type Labels = Readonly<Record<string, string | number>>

export interface Sample {
  labels?: Labels
  /** The suffix of the family's name, for the parts of a histogram. */
  suffix?: '_bucket' | '_sum' | '_count'
  value: number
}

export interface Family {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  samples: readonly Sample[]
}

/** Writes the Prometheus text format. */
export function exposition(families: readonly Family[]): string {
  const lines = families.flatMap(({ name, type, help, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ labels = {}, suffix = '', value }) => `${name}${suffix}${written(labels)} ${value}`),
  ])
  return `${lines.join('\n')}\n`
}

function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
}
