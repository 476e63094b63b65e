import { createHash } from 'node:crypto'
import { EVIDENCE_SCRIPT } from './evidence-script.ts'

const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1f1d1a, #efebe3); --soft: light-dark(#5d574e, #b0a89b);
  --paper: light-dark(#fffefb, #1f1d1a); --line: light-dark(#d9d3c7, #3d3932); --accent: light-dark(#1d5c4b, #7fcbae);
  --mark: light-dark(#ffe9a8, #5c4a12); --bad: light-dark(#a3211b, #ff9d94) }
:root[data-theme=light] { color-scheme: light }
:root[data-theme=dark] { color-scheme: dark }
body { margin: 0; padding: 1rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.05rem; margin: 0 }
p { margin: .3rem 0 }
h1, p, blockquote { overflow-wrap: anywhere; unicode-bidi: isolate }
blockquote { margin: .8rem 0; padding-left: .8rem; border-left: 3px solid var(--line); white-space: pre-wrap }
mark { background: var(--mark); color: inherit; border-radius: 2px }
code { font-size: .85em }
button { font: inherit; color: var(--accent); background: none; border: 1px solid; border-radius: 8px; padding: .3rem .8rem;
  cursor: pointer }
.soft { color: var(--soft); font-size: .9rem }
.good { color: var(--accent) }
.bad { color: var(--bad); font-weight: 600 }
[hidden] { display: none }
`

const hashed = (inline: string) => `'sha256-${createHash('sha256').update(inline).digest('base64')}'`

/** Nothing may be loaded, sent or embedded, and only the script below may run. */
const POLICY = [
  `default-src 'none'`,
  `script-src ${hashed(EVIDENCE_SCRIPT)}`,
  `style-src ${hashed(STYLE)}`,
  `base-uri 'none'`,
  `form-action 'none'`,
].join('; ')

/** Shows in a host what `show_evidence` found. It contains no record: the host passes it the result of the call. */
export const EVIDENCE_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evidence</title>
<style>${STYLE}</style>
<main>
<p id="state" role="status">Waiting for the passage.</p>
<article id="evidence" hidden>
<h1 id="title" dir="auto"></h1>
<p id="origin" class="soft" dir="auto"></p>
<blockquote id="passage" dir="auto"></blockquote>
<p id="place" class="soft"></p>
<p id="check" role="status"></p>
<p class="soft"><code id="digest"></code></p>
<p class="soft"><code id="url"></code></p>
<button id="open" type="button" hidden>Open the source</button>
</article>
</main>
<script>${EVIDENCE_SCRIPT}</script>
</html>
`
