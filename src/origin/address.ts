/** The origin that links are made of. */
export function originFor({ publicUrl, port }: { publicUrl: string | null; port: number }): string {
  return publicUrl ?? `http://127.0.0.1:${port}`
}

/** A place to listen on, as a URL has it. */
export function hostAndPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
