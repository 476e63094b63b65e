/** How records, their texts and tables look. */
export const CONTENT = `
mark { background: var(--warn-soft); color: inherit; border-bottom: 2px solid var(--warn); scroll-margin-top: 30vh;
  padding: .05em .1em; box-decoration-break: clone; -webkit-box-decoration-break: clone }
mark:focus-visible { outline: none; box-shadow: 0 0 0 3px var(--warn-soft) }
.text { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate }
.text.code { font: .92rem/1.5 var(--mono) }
.record { max-width: 46rem; margin: 0 auto }
.letterhead { display: grid; gap: .25rem }
.letterhead div { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); gap: .6rem }
.letterhead dt { color: var(--soft) }
.letterhead dd { margin: 0; overflow-wrap: anywhere; unicode-bidi: isolate }
@media (min-width: 40rem) {
  .facts.wide { gap: .45rem }
  .facts.wide > div { display: grid; grid-template-columns: 10rem minmax(0, 1fr); gap: .8rem; align-items: baseline }
}
.record .text, .prose { font-size: 1.05rem; line-height: 1.6 }
.facts .text { font-size: .95rem; line-height: 1.5 }
.bubble { border-radius: 4px 16px 16px 16px; background: var(--accent-soft) }
.talk > li { padding: .7rem 1rem; background: var(--card); border: 1px solid var(--line) }
.talk > li + li { margin-top: .6rem }
.talk > .asked { background: var(--accent-soft); border-color: var(--accent) }
.talk > li > .head { margin-bottom: .2rem; flex-wrap: nowrap }
.talk .text { font-size: .98rem; line-height: 1.5 }
.pager { display: flex; justify-content: space-between; align-items: center; gap: .8rem; flex-wrap: wrap;
  border-top: 1px solid var(--line); padding-top: 1rem }
.files li + li { margin-top: .5rem }
.files img { display: block; max-width: 100%; max-height: 24rem; border-radius: 8px; margin-bottom: .3rem }
.prose { overflow-wrap: anywhere; unicode-bidi: isolate }
.prose > * + * { margin-top: .8rem }
.prose > h2, .prose > h3 { margin-top: 1.4rem }
.prose > :first-child { margin-top: 0 }
.prose blockquote { margin-left: 0; margin-right: 0; border-left: 3px solid var(--line); padding-left: 1rem; color: var(--soft) }
.prose hr { border: 0; border-top: 1px solid var(--line) }
.prose pre { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: .7rem .9rem; overflow-x: auto;
  margin-bottom: 0; font-size: .95rem; line-height: 1.45 }
.prose pre code { overflow-wrap: normal }
.items li { display: flex; gap: .5rem }
.items .sign { color: var(--soft); min-width: 1.1rem; text-align: right }
.items .depth-1 { margin-left: 1.4rem }
.items .depth-2 { margin-left: 2.8rem }
.items .depth-3 { margin-left: 4.2rem }
.wiki { text-decoration-style: dotted }
.scroll { overflow-x: auto }
th, td { text-align: left; padding: .4rem .7rem; border-bottom: 1px solid var(--line); vertical-align: top }
.ticked label { display: block; padding: .2rem 0 }
.ticked input[type=checkbox] { margin-right: .4rem; vertical-align: -.15rem }
.ticked input[type=text] { width: 7rem; margin-left: .4rem }
details.card > summary { padding: 0 }
details.card[open] > summary { padding-bottom: 1rem }
details.card > * + p { margin-top: 1rem }
table { border-collapse: collapse; width: 100% }
@media (max-width: 30rem) {
  .text .wrap { white-space: normal }
  .text .again { display: none }
}`
