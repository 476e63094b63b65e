import type { KoaContextWithOIDC } from 'oidc-provider'
import { refusal } from '../../pages/forms.ts'
import { type Html, pageHeaders, renderPage } from '../../pages/layout.ts'

/** Writes a page as oidc-provider's answer. */
export async function writePage(ctx: KoaContextWithOIDC, page: { title: string; body: Html }): Promise<void> {
  ctx.type = 'html'
  ctx.set(pageHeaders())
  ctx.body = String(await renderPage({ ...page, width: 'narrow' }))
}

/** A request that cannot be answered to the client, because it is not known where the client is. */
export async function renderProviderError(
  ctx: KoaContextWithOIDC,
  out: { error: string; error_description?: string | undefined },
): Promise<void> {
  const title = 'This app cannot be connected'
  const said = out.error_description ? `${capital(out.error_description)}.` : 'The request is not valid.'
  const message = `${said} Go back to the app and start again. Nothing was shared.`
  await writePage(ctx, { title, body: refusal({ title, message, code: out.error }) })
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, '')
}
