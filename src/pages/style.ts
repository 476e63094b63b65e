import { createHash } from 'node:crypto'
import { CONTENT } from './style-of-records.ts'

/** One style sheet for every page: system fonts, no other origin, light and dark, phone and desktop. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f6f4ef; --card: #fffefb; --ink: #1f1d1a; --soft: #5d574e; --line: #d9d3c7; --field: #fffefb;
  --accent: #1d5c4b; --accent-ink: #ffffff; --accent-soft: #e3efe9; --warn: #7a4a00; --warn-soft: #fbf0db;
  --danger: #9c2f1f; --danger-soft: #faeae6; --focus: #1b62c4;
  --serif: ui-serif, Charter, 'Iowan Old Style', Georgia, serif;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
  --mono: ui-monospace, 'SF Mono', Menlo, Consolas, monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #161512; --card: #1f1d1a; --ink: #efebe3; --soft: #b0a89b; --line: #3d3932; --field: #171613;
    --accent: #7fcbae; --accent-ink: #0d211a; --accent-soft: #1e332b; --warn: #f0c377; --warn-soft: #33291a;
    --danger: #f09a88; --danger-soft: #38211c; --focus: #8ab6f5;
  }
}
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 var(--sans); overflow-wrap: break-word }
[dir=auto]:not(p.text, .prose) { text-align: left }
h1, h2, h3 { font-family: var(--serif); font-weight: 600; line-height: 1.2; margin: 0; text-wrap: balance;
  overflow-wrap: anywhere }
h1 { font-size: clamp(1.6rem, 1.2rem + 1.8vw, 2.2rem) }
h2 { font-size: 1.25rem }
h3 { font-size: 1.05rem }
p, ul, ol, dl { margin: 0 }
a { color: var(--accent) }
a, strong { unicode-bidi: isolate }
code { font-family: var(--mono); font-size: .9em; overflow-wrap: anywhere }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px }
.skip, .unseen { position: absolute; left: -999px }
.skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; z-index: 1 }
.bar { display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: .9rem 1.25rem;
  max-width: 70rem; margin: 0 auto }
.brand { font-family: var(--serif); font-size: 1.2rem; font-weight: 600; color: inherit; text-decoration: none }
.brand sup { color: var(--accent); font-size: .7em; margin-left: .05em }
.bar nav { display: flex; gap: .15rem; font-size: .95rem; overflow-x: auto; scrollbar-width: none;
  margin: -4px calc(-.65rem - 4px) -4px -4px; padding: 4px }
.bar nav a { color: var(--soft); text-decoration: none; padding: .35rem .65rem; border-radius: 8px; white-space: nowrap }
.bar nav a:hover { color: var(--ink); background: var(--accent-soft) }
.bar nav a[aria-current] { color: var(--ink); box-shadow: inset 0 -2px var(--accent); border-radius: 8px 8px 0 0 }
main:focus { outline: none }
main { max-width: 70rem; margin: 0 auto; padding: .5rem 1.25rem 4rem }
main.narrow { max-width: 33rem; padding-top: 6vh }
.stack > * + * { margin-top: 1rem }
.stack-tight > * + * { margin-top: .4rem }
.stack-wide > * + * { margin-top: 2rem }
.lede { color: var(--soft); font-size: 1.1rem }
.columns { display: grid; gap: 2rem; align-items: start; grid-template-columns: minmax(0, 1fr) }
@media (min-width: 60rem) { .columns { grid-template-columns: minmax(0, 1.25fr) minmax(0, 1fr) } }
.plain, .rows { list-style: none; padding: 0 }
.rows.card { padding: .2rem 1.25rem }
.rows { container-type: inline-size }
.rows > li { padding: .75rem 0; overflow-wrap: break-word }
.entry > * + * { margin-top: .2rem }
@container (min-width: 40rem) {
  .entry { display: flex; gap: 1.5rem; align-items: baseline; justify-content: space-between }
  .entry > :first-child { min-width: 0 }
  .entry > * + * { margin-top: 0; flex: none; max-width: 55%; text-align: end }
}
section.card > .rows > li:last-child { padding-bottom: 0 }
.rows > li + li { border-top: 1px solid var(--line) }
.rows.people { padding-top: 0; padding-bottom: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); column-gap: 2.5rem; overflow: hidden }
.people > li { display: flex; gap: .8rem; align-items: baseline; justify-content: space-between; padding: .65rem 0 }
.rows.people > li { border-top: 1px solid var(--line); margin-top: -1px }
.warning { color: var(--warn) }
.chart { margin: 0 }
.chart svg { display: block; width: 100%; height: 6rem; fill: var(--accent) }
.chart rect:hover { fill: var(--warn) }
.chart figcaption { display: flex; justify-content: space-between; gap: 1rem; color: var(--soft); font-size: .85rem;
  border-top: 1px solid var(--line); padding-top: .4rem; margin-top: -1px }
.chart figcaption > :nth-child(2) { text-align: center }
.chart figcaption > :last-child { text-align: right }
.spark { width: 4.6rem; height: 1.3rem; fill: var(--accent); flex: none; align-self: center }
.spark .none { fill: var(--line) }
.done { font: inherit; font-weight: 600; flex: 1 1 20rem; text-wrap: wrap }
.requests > li { padding: .15rem 0; flex-wrap: nowrap }
.head > form { flex: none }
.head > :has(+ form) { min-width: 0 }
.soft { color: var(--soft) }
.small { font-size: .9rem }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem }
.measure { max-width: 46rem }
.split { display: grid; gap: 1.5rem; align-items: start; grid-template-columns: minmax(0, 1fr) }
@media (min-width: 60rem) {
  .split { grid-template: auto 1fr / 20rem minmax(0, 1fr); gap: 1rem 1.5rem }
  .split > :nth-child(2) { grid-area: 1 / 2 / span 2 }
  .split > .limits { position: sticky; top: 1rem }
  .split + .dock { padding-left: 21.5rem }
}
.facts { display: grid; gap: .75rem }
.facts dt { color: var(--soft); font-size: .85rem }
.facts dd { margin: 0; overflow-wrap: anywhere }
.badge { display: inline-block; font-size: .8rem; line-height: 1.5; padding: 0 .5rem; border-radius: 99px;
  border: 1px solid currentColor; white-space: nowrap }
.badge.good { color: var(--accent) }
.badge.warn { color: var(--warn) }
.notice { border-left: 4px solid var(--accent); background: var(--accent-soft); border-radius: 6px;
  padding: .75rem 1rem }
.notice.good::before { content: '✓'; margin-right: .5rem; color: var(--accent); font-weight: 700 }
.notice.warn { border-color: var(--warn); background: var(--warn-soft) }
.notice.danger { border-color: var(--danger); background: var(--danger-soft) }
form { margin: 0 }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0 }
.framed > legend { float: left; width: 100% }
.framed > legend + * { clear: both; padding-top: .4rem }
.tick { display: flex; gap: .6rem; align-items: flex-start }
main > .notice { margin-bottom: 1.5rem }
.stack-wide > .notice + .notice { margin-top: .8rem }
.flag { white-space: nowrap }
legend { padding: 0; font-family: var(--serif); font-weight: 600; font-size: 1.05rem }
label.line { display: block; font-weight: 600 }
.hint { color: var(--soft); font-size: .9rem }
label.hint { display: block }
.tabs { display: flex; flex-wrap: wrap; gap: .5rem }
.tabs a { border: 1px solid var(--line); border-radius: 99px; padding: .35rem .9rem; text-decoration: none; color: inherit }
.tabs a:hover { background: var(--accent-soft) }
.tabs a[aria-current] { border-color: var(--accent); background: var(--accent-soft); font-weight: 600 }
.copy { user-select: all; -webkit-user-select: all; background: var(--paper); border: 1px solid var(--line); border-radius: 8px;
  padding: .7rem .9rem; margin-bottom: 0; font: .92rem/1.5 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere }
.stack-tight > .copy, .steps .copy { margin-top: .5rem }
.steps { padding-left: 1.4rem; overflow-wrap: anywhere }
.steps > li + li { margin-top: .8rem }
.steps.card { padding-left: 2.9rem }
.steps.card > li::marker { font: 600 1.25rem var(--serif); color: var(--accent) }
.steps.card > li + li { margin-top: 1.8rem }
.ask { display: flex; gap: .6rem }
.ask input { flex: 1; min-width: 0 }
.filters { display: grid; gap: .8rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, max(9.5rem, 22%)), 1fr)); padding-top: .4rem }
.card.filters { padding-top: 1.25rem }
.filters label { color: var(--soft); font-size: .9rem }
.filters label > input, .filters label > select { color: var(--ink); font-size: 1rem; margin-top: .2rem }
.hit h2 { font-size: 1.1rem; overflow-wrap: anywhere }
h2 a, .entry > :first-child > a, .rows a:has(> strong), .rows > .head > a:first-child { text-decoration: none }
h2 a:hover, .rows a:hover { text-decoration: underline }
.evidence { display: block; border-left: 3px solid var(--line); padding-left: .8rem; font-size: .95rem; color: inherit;
  text-decoration: none; overflow-wrap: anywhere; unicode-bidi: isolate }
.evidence:hover { border-color: var(--accent) }
input[type=text], input[type=search], input[type=password], input[type=date], select { width: 100%; font: inherit; color: inherit;
  background: var(--field); border: 1px solid var(--soft); border-radius: 8px; padding: .55rem .7rem; min-height: 2.75rem }
.drop { display: block }
input[type=file] { width: 100%; font: inherit; color: inherit; background: var(--field); border: 2px dashed var(--soft); border-radius: 12px;
  padding: 2.5rem 1rem; cursor: pointer }
input[type=file]:hover { border-color: var(--accent) }
::file-selector-button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .4rem 1.1rem; margin-right: .8rem; color: inherit;
  background: transparent; border: 1px solid var(--soft); border-radius: 8px; cursor: pointer }
::file-selector-button:hover { background: var(--accent-soft) }
input[type=radio], input[type=checkbox] { width: 1.15rem; height: 1.15rem; margin: .2rem 0 0; flex: none;
  accent-color: var(--accent) }
.choices { display: grid; gap: .5rem; margin-top: .6rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)) }
.choices:not(:has(.hint)) { grid-template-columns: repeat(auto-fit, minmax(min(100%, 7.5rem), 1fr)) }
.choice { display: flex; gap: .7rem; padding: .55rem .7rem; border: 1px solid var(--line); border-radius: 8px;
  cursor: pointer; min-height: 2.75rem }
.choice:has(input:checked) { border-color: var(--accent); background: var(--accent-soft) }
.choice:has(input[value=none]:checked) { border-color: var(--soft); background: transparent }
.choice span { min-width: 0; overflow-wrap: anywhere }
.choice .hint { display: block }
::placeholder { color: var(--soft); opacity: 1 }
.path { overflow-wrap: anywhere }
.ticks { display: grid; gap: .2rem .8rem; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr));
  margin: .6rem 0 0; padding: .2rem 0 .2rem 1rem; border-left: 2px solid var(--line) }
.ticks label { display: flex; gap: .6rem; padding: .35rem 0; align-items: flex-start }
.pair { display: grid; gap: .8rem; grid-template-columns: 1fr 1fr; margin-top: .6rem }
header.head { align-items: end; gap: 1rem }
.head { display: flex; flex-wrap: wrap; gap: .4rem .8rem; align-items: baseline; justify-content: space-between }
@container (min-width: 40rem) { .rows > .head, .rows > li > .head { flex-wrap: nowrap } }
.card > .head:has(> h2) { min-height: 2.2rem; align-items: center }
.head:has(> h2 + .button) { flex-wrap: nowrap }
.head + .hint { margin: .3rem 0 }
.head > .button { flex: none }
.head:has(> .amount, > .spark) { flex-wrap: nowrap }
.head > :has(+ .amount), .people .path { min-width: 0; overflow-wrap: anywhere }
.count, .amount { font-variant-numeric: tabular-nums; color: var(--soft); white-space: nowrap }
.source { border-top: 1px solid var(--line); margin-top: 1.1rem; padding-top: 1.1rem }
.card > .source:first-child { border-top: 0; margin-top: 0; padding-top: 0 }
@supports selector(:has(*)) {
  .source:not(:has(input[value=custom]:checked)) .ticks, fieldset:not(:has(input[value=custom]:checked)) > .dates { display: none }
}
.folded { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 .6rem; align-items: center; padding: .35rem 1rem }
.stack > .folded + .folded { margin-top: -1px; border-top-left-radius: 0; border-top-right-radius: 0 }
.folded:has(+ .folded) { border-bottom-left-radius: 0; border-bottom-right-radius: 0 }
.folded > details[open] { grid-column: 1 / -1 }
.folded:has([type=radio]:checked:not([value=none])) { box-shadow: inset 4px 0 var(--accent) }
.folded:has([type=radio]:checked:not([value=none])):not(:has(> details[open])) { background: var(--accent-soft) }
.folded:has(> details[open]) > button { display: none }
.folded, .folded > details > :target, .card > .stack-tight > :target { scroll-margin-top: 30vh }
.folded > details > summary { padding: .5rem 0; overflow-wrap: anywhere }
.folded > details > summary > .small { display: inline-block; margin-left: 1.05rem }
.grant { display: flex; gap: 1rem; align-items: flex-start; justify-content: space-between }
.grant > div { min-width: 0; overflow-wrap: anywhere }
.grant > .button, .grant > .actions { flex: none }
.stack > [hidden]:first-child + * { margin-top: 0 }
details > summary { cursor: pointer; color: var(--accent); padding: .4rem 0; width: fit-content }
.example { border: 1px solid var(--line); border-radius: 8px; overflow: hidden; margin: .4rem 0 0 }
.example figcaption { font-size: .85rem; color: var(--soft); padding: .4rem .7rem; border-bottom: 1px solid var(--line) }
.example dl { display: grid; grid-template-columns: minmax(6rem, 11rem) minmax(0, 1fr) }
.example dt, .example dd { margin: 0; padding: .35rem .7rem; border-bottom: 1px solid var(--line); font-size: .92rem }
.example dt { color: var(--soft) }
.example dl > :nth-last-child(-n+2) { border-bottom: 0 }
.example dd { overflow-wrap: anywhere; white-space: pre-line; unicode-bidi: isolate }
.dock { position: sticky; bottom: 0; background: var(--paper); border-top: 1px solid var(--line); padding: .8rem 0;
  margin-top: 1.5rem }
.actions { display: flex; flex-wrap: wrap; gap: .7rem; align-items: center }
button, .button { font: inherit; font-weight: 600; min-height: 2.9rem; padding: .55rem 1.2rem; border-radius: 8px;
  border: 1px solid var(--soft); background: transparent; color: inherit; cursor: pointer; text-decoration: none;
  display: inline-flex; align-items: center; justify-content: center }
button:hover, .button:hover { background: var(--accent-soft) }
button.primary, .button.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-ink) }
button.primary:hover, .button.primary:hover { filter: brightness(1.08) }
button.danger, .button.danger { color: var(--danger); border-color: var(--danger) }
button.danger:hover, .button.danger:hover { background: var(--danger-soft) }
button.small, .button.small { min-height: 2.2rem; padding: .25rem .8rem; font-size: .9rem }
${CONTENT}
@media (max-width: 48rem) {
  .bar { position: relative; flex-direction: column; align-items: stretch; gap: .3rem; padding: .7rem 1.25rem }
  .bar nav { flex-wrap: wrap; overflow: visible; border-bottom: 1px solid var(--line); margin: 0 -1.25rem; padding: 4px .8rem 0 }
  .bar nav a { padding: .5rem .45rem }
  .bar nav a:first-child { display: none }
  .bar nav a:last-child { position: absolute; top: .4rem; right: .8rem }
}
@media (max-width: 30rem) {
  .folded > details > summary > .small { display: block }
  .people > li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 .8rem }
  .people .path { display: contents }
  .people .path > .small { grid-area: 2 / 1 / auto / -1 }
  .head .count { white-space: normal }
  .head:has(> h2 + .button) { flex-wrap: wrap }
  .actions > * { flex: 1 1 100% }
  .actions > form > button { width: 100% }
  .grant:has(> .actions) { flex-direction: column; gap: .6rem }
  .grant > .actions > *, .head > .actions > * { flex: 0 1 auto }
  .dock > .actions > *, .actions.dock > * { flex: 1 1 auto; padding: .55rem .6rem }
  .pair { grid-template-columns: 1fr }
  .example dl { grid-template-columns: 1fr }
  .example dt { border-bottom: 0; padding-bottom: 0 }
}
@media print {
  :root { color-scheme: light }
  .bar nav, .skip, .actions, .ask, .pager, .dock, details:not([open]), .talk a { display: none }
  main, .record { max-width: none }
  body, .card, .bubble, .talk > li { background: none }
}
`

export const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`
