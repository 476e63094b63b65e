import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { LoopbackServer } from './loopback-server.ts'

type Stored<Method extends keyof OAuthClientProvider> = Awaited<
  ReturnType<Extract<OAuthClientProvider[Method], (...args: never[]) => unknown>>
>

/** An app built with the SDK: it signs in by itself, and needs a browser only for the owner's decision. */
export class OAuthApp implements AsyncDisposable {
  readonly #mcpUrl: URL
  readonly #callback: LoopbackServer
  readonly #provider: OAuthClientProvider
  readonly #kept: {
    client?: Stored<'clientInformation'>
    tokens?: Stored<'tokens'>
    verifier?: string
    opened?: URL
    discovered?: Stored<'discoveryState'>
  } = {}

  private constructor(serverUrl: string, callback: LoopbackServer, clientMetadataUrl?: string) {
    this.#mcpUrl = new URL('/mcp', serverUrl)
    this.#callback = callback
    const kept = this.#kept
    const redirectUrl = this.redirectUrl
    this.#provider = {
      redirectUrl,
      ...(clientMetadataUrl ? { clientMetadataUrl } : {}),
      clientMetadata: {
        client_name: 'SDK app',
        redirect_uris: [redirectUrl],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
      clientInformation: () => kept.client,
      saveClientInformation: client => void Object.assign(kept, { client }),
      tokens: () => kept.tokens,
      saveTokens: tokens => void Object.assign(kept, { tokens }),
      redirectToAuthorization: opened => void Object.assign(kept, { opened }),
      saveCodeVerifier: verifier => void Object.assign(kept, { verifier }),
      codeVerifier: () => kept.verifier ?? '',
      saveDiscoveryState: discovered => void Object.assign(kept, { discovered }),
      discoveryState: () => kept.discovered,
      invalidateCredentials: () => void delete kept.tokens,
    }
  }

  static async start(serverUrl: string, clientMetadataUrl?: string): Promise<OAuthApp> {
    const callback = await LoopbackServer.start((request, response) => {
      const redirect_uri = `http://${request.headers.host}/callback`
      const document = {
        client_id: clientMetadataUrl,
        client_name: 'Document app',
        redirect_uris: [redirect_uri],
      }
      const isDocument = request.url === '/client.json'
      response.setHeader('Content-Type', isDocument ? 'application/json' : 'text/plain')
      response.end(
        isDocument ? JSON.stringify({ ...document, scope: 'anything' }) : 'You can close this page.',
      )
    })
    return new OAuthApp(serverUrl, callback, clientMetadataUrl)
  }

  get redirectUrl(): string {
    return `${this.#callback.url}/callback`
  }

  get clientId(): string | undefined {
    return this.#kept.client?.client_id
  }

  get accessToken(): string | undefined {
    return this.#kept.tokens?.access_token
  }

  /** Tries to connect; returns the URL for the owner to open, or the connected client. */
  async connect(): Promise<Client | URL> {
    delete this.#kept.opened
    const client = new Client({ name: 'sdk-app', version: '1' })
    try {
      await client.connect(this.#transport())
      return client
    } catch (error) {
      const { opened } = this.#kept
      if (error instanceof UnauthorizedError && opened) return opened
      throw error
    }
  }

  /** Exchanges what the redirect returned for tokens. */
  async finish(redirected: string): Promise<void> {
    await this.#transport().finishAuth(new URL(redirected).searchParams)
  }

  #transport(): StreamableHTTPClientTransport {
    return new StreamableHTTPClientTransport(this.#mcpUrl, {
      authProvider: this.#provider,
      // In this process the HTTP server has replaced the global Response, which the SDK requires.
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        return new Response(response.body, response)
      },
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#callback[Symbol.asyncDispose]()
  }
}
