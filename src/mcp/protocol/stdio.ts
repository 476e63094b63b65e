import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { type Adapter, createMcpServer } from './server.ts'

/** Serves one client over stdin and stdout, which carry only protocol messages (HO-4). */
export function serveOverStdio(adapter: Adapter, token: string, requestId: () => string): Promise<void> {
  return new Promise(resolve => {
    const handle = serveStdio(() => createMcpServer(adapter, { token, requestId }), {
      onerror: error => adapter.report(error, requestId()),
    })
    process.stdin.once('end', () => resolve(handle.close()))
    process.stdin.once('close', () => resolve(handle.close()))
  })
}
