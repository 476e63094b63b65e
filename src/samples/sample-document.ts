import { HARBOURS, PHRASES, WORDS } from './sample-log-phrases.ts'

export const SAMPLE_DOCUMENT_NAME = 'The log of the Wagtail.md'

/** Occurs once in the document, about three quarters in, and nowhere else in the samples. */
export const PLANTED_PASSAGE =
  'The overhaul of the engine cost 4,180 crowns. Hedda Ruusk finished it today, five weeks to the day: a new cylinder ' +
  'liner, new rings, both injectors and a water pump, and she let me turn the flywheel by hand to feel the difference. ' +
  '2,600 paid in notes, the rest to be paid in smoked mackerel, forty a month until Easter, which was her proposal and ' +
  'not mine. Wrote the number of the engine, B-2217, in pencil inside the lid of the chart table, so that nobody need go ' +
  'looking for it again. The burnt jetty still smells of tar.'

const FIRST_YEAR = 1979
const LAST_YEAR = 2011
const DAY_MS = 86_400_000
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)

/** The days that matter to the story; the entries of all other days are generated. */
const MARKED_DAYS: Record<string, { at: string; text: string }> = {
  '1979-04-08': {
    at: 'Varnhaven',
    text:
      'Bought the motor cutter Wagtail from the pilots, who have no more use for her. Built in 1958, eleven metres, oak on ' +
      'oak, one cylinder and a good heart. Elsbeth says a man of forty-four may have one foolish thing. Began this log.',
  },
  '1988-05-21': {
    at: 'Varnhaven',
    text: 'A grandson, Jonas, at four in the morning. Hoisted every flag in the locker, in no order at all.',
  },
  '1991-06-14': {
    at: 'Osier Quay',
    text:
      'A granddaughter, and they have called her Tilda. The harbourmaster rowed out with the telegram. Sounded the horn until ' +
      'the whole of Osier Quay knew, and some of it wanted to know less.',
  },
  '1999-08-02': {
    at: 'Great Skarn',
    text:
      'Tilda aboard for a week, eight years old. She has drawn a chart of the saloon with soundings in the bilge. It is more ' +
      'accurate than the one we have of the Sound.',
  },
  '2004-09-02': {
    at: 'Little Skarn',
    text:
      'The jetty at Little Skarn burnt in the night. Nobody is hurt. We passed buckets until three and saved the smokehouse; ' +
      'the wood of the jetty is gone down to the water, and the whole village smells of tar.',
  },
  '2004-09-09': {
    at: 'Little Skarn, on the slip',
    text:
      'No compression since Saturday. Hauled out, and Hedda Ruusk has the cylinder head on her bench. She whistled when she saw ' +
      'the bore. I do not like it when she whistles.',
  },
  '2004-10-14': { at: 'Little Skarn, on the slip', text: PLANTED_PASSAGE },
  '2011-10-30': {
    at: 'Varnhaven',
    text:
      'Last day of the season, and I believe of this log; the hand no longer does what it is told. Whoever reads this: she ' +
      'pulls to starboard when going astern, the bilge pump wants two strokes of water first, and the kettle is older than ' +
      'any of us. Look after her.',
  },
}

/** What is drawn as a number: the smallest one, and how many there are. */
const NUMBERS: Record<string, readonly [number, number]> = {
  glass: [985, 45],
  miles: [6, 24],
  depth: [3, 9],
  number: [11, 80],
  strokes: [20, 180],
  litres: [30, 90],
}

/** A log book of about one megabyte, always the same. */
export function sampleDocument(): string {
  const book = new Book()
  const years: string[] = []
  for (let year = FIRST_YEAR; year <= LAST_YEAR; year++) years.push(book.year(year))
  return `---
title: The log of the Wagtail
author: Anselm Brennick
created: 2025-03-20
tags: [wagtail, log, transcript]
---

# The log of the Wagtail, ${FIRST_YEAR} to ${LAST_YEAR}

Eleven oilcloth notebooks in the hand of our grandfather, Anselm Brennick, typed out by Tilda and Jonas in the winter after his
death. Spelling is his, mistakes in typing are ours. See also [[Wagtail]].

${years.join('\n')}`
}

class Book {
  #state = 0x5eed
  #harbour = 'Varnhaven'
  #hours = 4_310
  readonly #decks = new Map<string, string[]>()

  year(year: number): string {
    const entries = [`## ${year}\n`]
    const last = Date.UTC(year, 10, 12)
    for (let day = Date.UTC(year, 3, 4); day <= last; day += DAY_MS) {
      const date = new Date(day)
      const marked = MARKED_DAYS[date.toISOString().slice(0, 10)]
      if (marked) {
        entries.push(entry(date, marked.at, marked.text))
        this.#harbour = HARBOURS.find(name => marked.at.startsWith(name)) ?? this.#harbour
      } else if (this.#sails(date)) entries.push(this.#entry(date))
    }
    return entries.join('\n')
  }

  #sails(date: Date): boolean {
    const day = date.toISOString().slice(0, 10)
    if (day < '1979-04-08' || day > '2011-10-30') return false
    const laidUp = day > '2004-09-02' && day < '2004-10-14'
    return this.#below(100) < 33 && !laidUp
  }

  #entry(date: Date): string {
    const from = this.#harbour
    const moves = this.#below(5) < 3
    const to = moves
      ? this.#draw(
          'harbours',
          HARBOURS.filter(name => name !== from),
        )
      : from
    this.#harbour = to
    this.#hours += moves ? 2 + this.#below(4) : 0
    const parts = [this.#sentence('weather', from, to), this.#sentence(moves ? 'passage' : 'stay', from, to)]
    for (const kind of ['work', 'life'] as const) {
      const times = this.#below(8) < 6 ? 1 : 2
      for (let time = 0; time < times; time++) parts.push(this.#sentence(kind, from, to))
    }
    if (this.#below(3) === 0) parts.push(this.#sentence('closing', from, to))
    return entry(date, to, parts.join(' '))
  }

  #sentence(kind: keyof typeof PHRASES, from: string, to: string): string {
    const fill = (text: string): string =>
      text.replace(/\{([A-Za-z]+?)2?\}/g, (_, name: string) => {
        const plain = name.charAt(0).toLowerCase() + name.slice(1)
        const word = fill(this.#word(plain, from, to))
        return plain === name ? word : word.charAt(0).toUpperCase() + word.slice(1)
      })
    return fill(this.#draw(kind, PHRASES[kind]))
  }

  #word(name: string, from: string, to: string): string {
    const known = { from, to, hours: String(this.#hours) }[name]
    if (known !== undefined) return known
    const [least, count] = NUMBERS[name] ?? []
    return least === undefined || count === undefined
      ? this.#draw(name, WORDS[name] ?? [])
      : String(least + this.#below(count))
  }

  /** Draws from a list like a deck of cards, so that an entry repeats only after all the others. */
  #draw(name: string, list: readonly string[]): string {
    let deck = this.#decks.get(name) ?? []
    if (!deck.some(card => list.includes(card))) {
      deck = [...list]
      for (let at = deck.length - 1; at > 0; at--) {
        const other = this.#below(at + 1)
        ;[deck[at], deck[other]] = [deck[other] ?? '', deck[at] ?? '']
      }
      this.#decks.set(name, deck)
    }
    const at = deck.findIndex(card => list.includes(card))
    const [card = ''] = deck.splice(at, 1)
    return card
  }

  /** A number from 0 below the limit, from a fixed generator: always the same sequence. */
  #below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * limit)
  }
}

function entry(date: Date, place: string, text: string): string {
  const day = `${DAYS[date.getUTCDay()]}, ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
  return `### ${day} – ${place}\n\n${text}\n`
}
