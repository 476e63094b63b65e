/** What a client stores between the steps of signing in, in the form that the MCP SDKs share. */
export class OAuthMemory {
  readonly redirectUrl = 'http://127.0.0.1:33333/callback'
  readonly clientMetadata = {
    client_name: 'Matrix',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  /** The URL that the client wanted the person to open. */
  opened: URL | undefined
  #kept: Record<string, unknown> = {}

  clientInformation = () => this.#kept.client
  saveClientInformation = (client: unknown) => this.#keep({ client })
  tokens = () => this.#kept.tokens
  saveTokens = (tokens: unknown) => this.#keep({ tokens })
  redirectToAuthorization = (url: URL) => {
    this.opened = url
  }
  saveCodeVerifier = (verifier: string) => this.#keep({ verifier })
  codeVerifier = () => String(this.#kept.verifier)
  saveState = (state: string) => this.#keep({ state })
  storedState = () => this.#kept.state
  state = () => {
    const state = crypto.randomUUID()
    this.#keep({ state })
    return state
  }
  invalidateCredentials = () => {
    delete this.#kept.tokens
  }

  #keep(more: Record<string, unknown>): void {
    this.#kept = { ...this.#kept, ...more }
  }
}
