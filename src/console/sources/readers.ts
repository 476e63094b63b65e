import { html } from 'hono/html'
import { hidden } from '../../pages/forms.ts'
import type { Html } from '../../pages/layout.ts'
import { readClients } from '../app-names.ts'
import type { Visit } from '../visit.ts'

/** Which apps can read a source, with a button for each of the others to let it. */
export async function readersOf(visit: Visit, connection_id: string): Promise<Html> {
  const data = await readClients(visit)
  const apps = data.filter(({ connection_ids }) => connection_ids.length > 0)
  return html`<section class="stack"><h2>Who can read it</h2>${
    apps.length === 0
      ? html`<p class="card soft">No app is connected, so none can read it. <a href="/connect">Connect an app</a></p>`
      : html`<ul class="rows card">${apps.map(({ client_id, name, connection_ids, extendable }) => {
          const path = `/apps/${encodeURIComponent(client_id)}`
          const isOpen = connection_ids.includes(connection_id)
          const fields = hidden({ csrf: visit.csrf, action: 'add', source: connection_id })
          return html`<li class="head"><span><a href="${path}">${name}</a> <span class="soft">${isOpen ? 'can read it' : 'cannot see it'}</span></span>${
            isOpen || !extendable
              ? ''
              : html`<form method="post" action="${path}">${fields}<button class="small" type="submit" aria-label="Let it read this: ${name}">Let it read this</button></form>`
          }</li>`
        })}</ul>`
  }</section>`
}
