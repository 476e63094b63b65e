import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge'
import type { Frame, Page } from 'playwright-core'

const HOST = 'https://host.example/'
const SANDBOX = 'https://sandbox.example/'
const HOST_PAGE = `<!doctype html><meta charset="utf-8"><title>Host</title>
<iframe sandbox="allow-scripts" src="${SANDBOX}" style="width:100%;height:600px;border:0"></iframe>
<script>
const frame = document.querySelector('iframe')
addEventListener('message', event => { if (event.source === frame.contentWindow) toHost(event.data) })
globalThis.toView = message => frame.contentWindow.postMessage(message, '*')
</script>`

/**
 * A host of MCP Apps: the bridge that hosts use runs here, and a browser runs the page in a sandboxed frame of another
 * origin. The host adds no policy, so the page's own policy is what restricts it.
 */
export class AppHost {
  readonly bridge: AppBridge
  readonly frame: Frame
  /** The network requests that the browser made. */
  readonly requests: string[]

  private constructor(bridge: AppBridge, frame: Frame, requests: string[]) {
    this.bridge = bridge
    this.frame = frame
    this.requests = requests
  }

  static async open(page: Page, html: string, theme: 'light' | 'dark' = 'light'): Promise<AppHost> {
    const requests: string[] = []
    await page.route('**', route => {
      const url = route.request().url()
      requests.push(url)
      const body = url === HOST ? HOST_PAGE : url === SANDBOX ? html : 'unexpected'
      return route.fulfill({ contentType: 'text/html; charset=utf-8', body })
    })
    const transport: Transport = {
      start: async () => {},
      close: async () => {},
      send: async message => {
        await page.evaluate(each => (globalThis as unknown as View).toView(each), message)
      },
    }
    await page.exposeFunction('toHost', (message: JSONRPCMessage) => transport.onmessage?.(message))
    const bridge = new AppBridge(
      null,
      { name: 'test-host', version: '1' },
      { openLinks: {} },
      { hostContext: { theme } },
    )
    const ready = new Promise<void>(resolve => bridge.addEventListener('initialized', () => resolve()))
    await bridge.connect(transport)
    await page.goto(HOST)
    await ready
    const frame = page.frame({ url: SANDBOX })
    if (!frame) throw new Error('The host has no frame.')
    return new AppHost(bridge, frame, requests)
  }
}

interface View {
  toView(message: unknown): void
}
