import { html, raw } from 'hono/html'
import { STYLE, STYLE_HASH } from './style.ts'

/** A piece of a page; what is put into it is escaped. */
export type Html = ReturnType<typeof html>

export interface Page {
  title: string
  body: Html
  /** A short form in the middle, or the whole width. */
  width?: 'narrow' | 'wide'
  /** Links for a signed-in owner. */
  signedIn?: boolean
}

export function renderPage({ title, body, width = 'wide', signedIn = false }: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Footnote</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="brand" href="/">Footnote<sup>1</sup></a>
${signedIn ? html`<nav aria-label="Owner"><a href="/apps">Apps</a><a href="/account">Sign-in</a></nav>` : ''}
</header>
<main id="main" class="${width === 'narrow' ? 'narrow' : ''}">${body}</main>
</body>
</html>`
}

/**
 * The headers of every page: nothing from another origin, no script, no frame around it. A form may end at the origins
 * named, because browsers hold redirects after a form to this list as well; null is anywhere. There is no
 * Cross-Origin-Opener-Policy: apps on the web open these pages in a window that must find its way back to them.
 */
export function pageHeaders(formTargets: readonly string[] | null = []): Record<string, string> {
  const policy = [
    `default-src 'none'`,
    `style-src ${STYLE_HASH}`,
    `img-src 'self'`,
    `script-src 'none'`,
    ...(formTargets === null ? [] : [`form-action ${["'self'", ...formTargets].join(' ')}`]),
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
  ]
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    // Not no-referrer: with that, browsers hide the origin of a form, which is checked.
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    'Cache-Control': 'no-store',
  }
}

/** A page as a response. */
export async function pageResponse(
  page: Page,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Promise<Response> {
  return new Response(String(await renderPage(page)), {
    status,
    headers: { ...pageHeaders(), 'Content-Type': 'text/html; charset=utf-8', ...headers },
  })
}
