import { html } from 'hono/html'
import type { TimeZone } from '../../model/time-zone.ts'
import { radios } from '../../pages/forms.ts'
import type { Html } from '../../pages/layout.ts'
import { type ConsentForm, dayOf, LIFETIMES } from './consent-form.ts'
import type { Asking } from './consent-request.ts'

/** From which time the app may read records, and for how long it may. */
export function limits({ offers }: Asking, { range, choice, lifetime }: ConsentForm, zone: TimeZone): Html {
  const asks = offers.some(({ request }) => request !== null)
  const ranges = [
    { value: 'all', label: asks ? 'All it asks for' : 'Any time' },
    { value: '12m', label: 'The last 12 months' },
    { value: '30d', label: 'The last 30 days' },
    { value: 'custom', label: 'Between two days' },
  ]
  const custom = range === 'custom'
  return html`<div class="card stack">
<fieldset><legend>How far back?</legend>
<p class="hint">It can also read what is new, unless you name a last day.</p>${radios('range', ranges, range)}
<div class="pair dates">
<div><label class="line" for="since">From</label><input type="date" id="since" name="since" value="${custom ? dayOf(choice.since, zone) : ''}"></div>
<div><label class="line" for="until">Before</label><input type="date" id="until" name="until" value="${custom ? dayOf(choice.until, zone) : ''}"></div>
</div></fieldset>
<p><button class="small" type="submit" name="action" value="count" formaction="#sources">Count the records of this time</button></p>
<div class="stack-tight"><label class="line" for="lifetime">For how long may it read?</label>
<select id="lifetime" name="lifetime">${LIFETIMES.map(
    ({ id, label }) => html`<option value="${id}" ${id === lifetime ? 'selected' : ''}>${label}</option>`,
  )}</select>
<p class="hint">You can remove its access at any time under Apps.</p></div>
</div>`
}
