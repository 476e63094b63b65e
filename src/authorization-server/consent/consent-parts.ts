import { html } from 'hono/html'
import type { StreamDeclaration } from '../../model/declaration/declaration.ts'
import { type Html, pageHeaders, pageResponse } from '../../pages/layout.ts'
import { counted, humanName } from '../../pages/words.ts'
import type { ClientCard } from './client-card.ts'
import type { Asking } from './consent-request.ts'

/** A page about a request; its form may end where the app is. */
export function consentResponse(
  asking: Asking,
  title: string,
  body: Html,
  status: number,
): Promise<Response> {
  const { formTarget } = asking.card
  const headers = pageHeaders(formTarget ? [formTarget] : [])
  return pageResponse({ title, body, signedIn: true }, { status, headers })
}

export function whoAsks({ card, asked, active }: Asking): Html {
  return html`<div class="card stack"><h2>Who asks</h2>
<dl class="facts">
<div><dt>App</dt><dd><strong>${card.name}</strong> ${verification(card)}</dd></div>
<div><dt>The answer goes to</dt><dd>${card.goesTo}</dd></div>
<div><dt>What for</dt><dd>${asked?.purpose ? html`“${asked.purpose}” <span class="hint">(its own words)</span>` : html`<span class="soft">It does not say.</span>`}</dd></div>
</dl>
<p class="hint">${
    card.verifiedHost
      ? `Published by ${card.verifiedHost}.`
      : 'The app chose this name itself. Nobody has checked it. Go on only if you have just started this in the app.'
  }</p>
${active > 0 ? html`<p class="hint">It can already read from ${counted(active, 'source')}; see <a href="/apps">Apps</a>. What you allow now comes on top.</p>` : ''}
</div>`
}

function verification({ verifiedHost }: ClientCard): Html {
  return verifiedHost
    ? html`<span class="badge good">${verifiedHost}</span>`
    : html`<span class="badge warn">not verified</span>`
}

export function streamLabel(stream: StreamDeclaration): string {
  return stream.display?.label ?? humanName(stream.name)
}

export function fieldLabel(stream: StreamDeclaration, name: string): string {
  const title = stream.schema.properties[name]?.title
  return typeof title === 'string' && title !== '' ? title : humanName(name)
}
