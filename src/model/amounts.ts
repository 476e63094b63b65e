/** `1,234` */
export function number(value: number): string {
  return value.toLocaleString('en-GB')
}

/** `1 record`, `1,234 records` */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`
}
