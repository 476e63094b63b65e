import type { KoaContextWithOIDC } from 'oidc-provider'
import { refusal } from '../../pages/forms.ts'
import { type Html, pageHeaders, renderPage } from '../../pages/layout.ts'

/** Writes a page as oidc-provider's response. */
export async function writePage(ctx: KoaContextWithOIDC, page: { title: string; body: Html }): Promise<void> {
  ctx.type = 'html'
  ctx.set(pageHeaders())
  ctx.body = String(await renderPage({ ...page, width: 'narrow' }))
}

/** oidc-provider's error if it cannot fetch or read the document of a client. */
const DOCUMENT_FAILED = 'client_id metadata document fetch failed'

/** Its error for a client that is not registered here. */
const CLIENT_UNKNOWN = 'client is invalid'
const UNKNOWN_CLIENT_HELP =
  'This Footnote does not know the app: it may have been connected to another Footnote, or to this one before its data was removed. Nothing was shared. Remove Footnote from the app, add it again and connect.'

/** For a request whose error cannot be sent to the client, because the client's address is unknown. */
export async function renderProviderError(
  ctx: KoaContextWithOIDC,
  out: { error: string; error_description?: string | undefined },
): Promise<void> {
  const title = 'This app cannot be connected'
  if (out.error_description === DOCUMENT_FAILED) {
    const clientId = String(ctx.oidc?.params?.client_id ?? '').slice(0, 200)
    const message = `The app names itself by the document at ${clientId}, which Footnote could not fetch. Nothing was shared. If the computer that Footnote runs on cannot reach the internet, start Footnote with --client-documents off, and connect again in the app: it then registers instead.`
    return writePage(ctx, { title, body: refusal({ title, message, code: out.error }) })
  }
  if (out.error_description === CLIENT_UNKNOWN)
    return writePage(ctx, { title, body: refusal({ title, message: UNKNOWN_CLIENT_HELP, code: out.error }) })
  const said = out.error_description ? `${capital(out.error_description)}.` : 'The request is not valid.'
  const message = `${said} Go back to the app and start again. Nothing was shared.`
  await writePage(ctx, { title, body: refusal({ title, message, code: out.error }) })
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, '')
}
