import { html, raw } from 'hono/html'
import { STYLE, STYLE_HASH } from './style.ts'

/** A part of a page; interpolated values are escaped. */
export type Html = ReturnType<typeof html>

/** Where a signed-in owner can go. */
const SECTIONS = {
  home: { label: 'Home', path: '/' },
  search: { label: 'Search', path: '/search' },
  people: { label: 'People', path: '/people' },
  sources: { label: 'Sources', path: '/sources' },
  apps: { label: 'Apps', path: '/apps' },
  activity: { label: 'Activity', path: '/activity' },
  settings: { label: 'Settings', path: '/settings' },
} as const

export type Section = keyof typeof SECTIONS

export interface Page {
  title: string
  body: Html
  /** A narrow form in the middle, or the full width. */
  width?: 'narrow' | 'wide'
  /** Links for a signed-in owner. */
  signedIn?: boolean
  /** The page is reloaded after this many seconds. */
  refresh?: number | undefined
  /** The URL of the only script that the page may run. */
  script?: string
  /** The link that leads to this page. */
  section?: Section
}

export function renderPage({
  title,
  body,
  width = 'wide',
  section,
  refresh,
  script,
  signedIn = !!section,
}: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${refresh === undefined ? '' : html`<meta http-equiv="refresh" content="${refresh}">`}<title>${title} · Footnote</title>
<style>${raw(STYLE)}</style>
${
  script === undefined
    ? ''
    : html`<script type="module" src="${script}"></script>
`
}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="brand" href="/">Footnote<sup aria-hidden="true">1</sup></a>
${signedIn ? navigation(section) : ''}
</header>
<main id="main" tabindex="-1" class="${width === 'narrow' ? 'narrow' : ''}">${body}</main>
</body>
</html>`
}

function navigation(current: Section | undefined): Html {
  return html`<nav aria-label="Footnote">${Object.entries(SECTIONS).map(
    ([key, { label, path }]) =>
      html`<a href="${path}" ${key === current ? html`aria-current="page"` : ''}>${label}</a>`,
  )}</nav>`
}

/**
 * The headers of every page: nothing from another origin, no scripts except the one named, no framing. A form may lead
 * to the named origins, because browsers apply this list to redirects after a form as well; null allows any. There is
 * no Cross-Origin-Opener-Policy: web apps open these pages in a window that must return to them.
 */
export function pageHeaders(
  formTargets: readonly string[] | null = [],
  script = "'none'",
): Record<string, string> {
  const policy = [
    `default-src 'none'`,
    `style-src ${STYLE_HASH}`,
    `img-src 'self'`,
    `script-src ${script}`,
    ...(formTargets === null ? [] : [`form-action ${["'self'", ...formTargets].join(' ')}`]),
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
  ]
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    // Not no-referrer: with that, browsers omit the origin of a form, which is checked.
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
    headers: { ...pageHeaders([], page.script), 'Content-Type': 'text/html; charset=utf-8', ...headers },
  })
}
