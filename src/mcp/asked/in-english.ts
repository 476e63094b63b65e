import { askedPeriod, LONGEST_QUESTION, withoutPeriod } from './asked-time.ts'

/** The words for what is asked for, in German, Spanish and French, and what names the same streams. */
const THINGS: Readonly<Record<string, string>> = {
  mails: 'e-?mails?|mails?|correos?(?: electrónicos?)?|courriels?',
  messages: 'nachricht(?:en)?|mensajes?|messages?',
  notes: 'notiz(?:en)?|notas?|notes?',
  chats: 'chats?|unterhaltung(?:en)?|gespräche?|conversaciones|conversación|conversations?',
  contacts: 'kontakte?|contactos?|contacts?',
  meetings: 'termine?|besprechung(?:en)?|citas?|reuniones|reunión|rendez-vous|réunions?',
}

interface Language {
  /** What begins the part of a question that narrows it: a person, a subject or a time. */
  before: string
  /** Words for having sent something. */
  sent: string
  /** Forms of questions, and the English question that asks the same. */
  forms: readonly (readonly [form: string, english: string])[]
}

/** Words before a name, a subject or a time, and those that English has there. */
const PREPOSITIONS = [
  ['über|zum thema|sobre|acerca de|sur|à propos de|au sujet de', 'about'],
  ['von|de|del|por|du|par', 'from'],
  ['an|para|a|al|à|au|pour', 'to'],
  ['mit|con|avec', 'with'],
  ['im|am|en', 'in'],
] as const

const GERMAN: Language = {
  before:
    'von|an|mit|über|zum|im|in|am|seit|letzte[nrs]?|nächste[nrs]?|diese[nrs]?|heute|gestern|(?:19|20)\\d\\d',
  sent: 'geschrieben|geschickt|gesendet|verschickt|gepostet',
  forms: [
    [
      'wie ?viele? THING (?:hat|haben|habe) (?:mir )?WHO(?: mir)?REST SENT',
      'how many THING did WHO writeREST',
    ],
    [
      'wie ?viele? THING (?:habe|haben) (?:ich|wir)REST(?: bekommen| erhalten)?',
      'how many THING do I haveREST',
    ],
    ['wie ?viele? THING(?: gibt es| gab es| sind)?REST', 'how many THING are thereREST'],
    ['wie oft (?:hat|haben|habe) WHO WHAT erwähnt', 'how often did WHO mention WHAT'],
    ["was gibt(?: e|[’'])s neues", 'what is new'],
    ['wie oft (?:wurde|wird) WHAT erwähnt', 'how often was WHAT mentioned'],
    ['wer hat (?:mir )?die meisten THINGREST SENT', 'who wrote the most THINGREST'],
    ['LEAD(?:letzten?|neuesten?|neusten?|aktuellsten?) NUMBERTHINGREST', 'last NUMBERTHINGREST'],
    ['LEAD(?:ersten?|ältesten?) THINGREST', 'first THINGREST'],
    [
      'wann (?:hat|habe) (?:mir )?WHO(?: mir)? (?:zuletzt|das letzte mal|zum letzten mal)REST SENT',
      'when did WHO last writeREST',
    ],
    ['wann wurde WHAT (?:zuletzt|das letzte mal) erwähnt', 'when was WHAT last mentioned'],
    ['was habe (?:ich|wir) WHO(?: SENT| gesagt)', 'what did I write to WHO'],
    ['was (?:hat|habe) (?:mir )?WHO(?: mir)?REST (?:gesagt|SENT)', 'what did WHO writeREST'],
    [
      '(?:wann (?:ist|habe ich) |wann ist )?(?:mein |der |meinen |die |meine )?nächste[rn]? THINGREST',
      'next THINGREST',
    ],
    ['welche THING habe ichREST', 'which THING do I haveREST'],
    ['(?:alle |die |meine )*THINGOF', 'THINGOF'],
  ],
}

const SPANISH: Language = {
  before: 'de|del|para|a|al|con|por|sobre|acerca|en|desde|la|el|esta|este|hoy|ayer',
  sent: 'escribió|envió|mandó|publicó|ha (?:escrito|enviado|mandado)',
  forms: [
    ['cuánt[oa]s THING (?:me )?SENT WHOREST', 'how many THING did WHO writeREST'],
    ['cuánt[oa]s THING (?:le )?(?:escribí|envié|mandé)REST', 'how many THING did I writeREST'],
    [
      'cuánt[oa]s THING(?: hay| tengo| recibí| he recibido)?REST(?: hay| tengo)?',
      'how many THING are thereREST',
    ],
    ['qué hay de nuevo', 'what is new'],
    ['cuántas veces se mencionó WHAT', 'how often was WHAT mentioned'],
    ['quién (?:me )?SENT más THINGREST', 'who wrote the most THINGREST'],
    ['LEAD(?:último|última|últimos|últimas) NUMBERTHINGREST', 'last NUMBERTHINGREST'],
    ['LEADTHING más recientes?REST', 'last NUMBERTHINGREST'],
    ['LEAD(?:primer|primera|primeros|primeras) THINGREST', 'first THINGREST'],
    ['cuándo (?:me )?SENT WHO por última vezREST', 'when did WHO last writeREST'],
    ['cuándo (?:me )?SENT por última vez WHOREST', 'when did WHO last writeREST'],
    ['cuándo fue la última vez que (?:WHO (?:me )?SENT|(?:me )?SENT WHO)REST', 'when did WHO last writeREST'],
    ['cuándo se mencionó WHAT por última vez', 'when was WHAT last mentioned'],
    ['qué (?:le )?(?:dije|escribí|envié|mandé)REST', 'what did I writeREST'],
    ['qué (?:me )?(?:dijo|ha dicho|SENT) WHOREST', 'what did WHO writeREST'],
    ['(?:cuándo es )?(?:mi |la |el )?próxim[oa] THINGREST', 'next THINGREST'],
    ['qué THING tengoREST', 'which THING do I haveREST'],
    ['(?:todos |todas |los |las |mis )*THINGOF', 'THINGOF'],
  ],
}

const HAS = 'a(?:-t-(?:il|elle|on))?'
const FRENCH: Language = {
  before: "de|du|à|au|avec|par|pour|sur|en|depuis|la|le|l[’']année|ce|cette|hier|aujourd[’']hui",
  sent: '(?:écrit|envoyé|posté)e?s?',
  forms: [
    [`combien de THING (?:m[’'])?${HAS} SENT WHOREST`, 'how many THING did WHO writeREST'],
    [`combien de THING WHO (?:m[’'])?${HAS} SENTREST`, 'how many THING did WHO writeREST'],
    ["combien de THING (?:ai-je|j[’']ai) SENTREST", 'how many THING did I writeREST'],
    [
      "combien de THING(?: y a-t-il| ai-je| j[’']ai)?(?: reçus?| reçues?)?REST",
      'how many THING are thereREST',
    ],
    ['quoi de neuf', 'what is new'],
    [`combien de fois WHO ${HAS} mentionné WHAT`, 'how often did WHO mention WHAT'],
    [`combien de fois WHAT ${HAS} été mentionnée?`, 'how often was WHAT mentioned'],
    ["qui (?:m[’'])?a SENT le plus de THINGREST", 'who wrote the most THINGREST'],
    ['LEAD(?:derniers?|dernières?) NUMBERTHINGREST', 'last NUMBERTHINGREST'],
    ['LEAD(?:premiers?|premières?) THINGREST', 'first THINGREST'],
    [
      `quand (?:est-ce qu(?:e |[’']))?WHO (?:m[’'])?${HAS} SENT pour la dernière foisREST`,
      'when did WHO last writeREST',
    ],
    [`quand WHAT ${HAS} été mentionnée? pour la dernière fois`, 'when was WHAT last mentioned'],
    ["(?:qu[’']est-ce que j[’']ai|qu[’']ai-je) (?:dit|SENT)REST", 'what did I writeREST'],
    ["qu[’']est-ce qu(?:e |[’'])WHO (?:m[’'])?a (?:dit|SENT)REST", 'what did WHO writeREST'],
    ["qu(?:[’']|e m[’'])a (?:dit|SENT) WHOREST", 'what did WHO writeREST'],
    ['(?:quand est )?(?:mon |ma |le |la )?prochaine? THINGREST', 'next THINGREST'],
    ['quel(?:le)?s THING ai-jeREST', 'which THING do I haveREST'],
    ['(?:tous |toutes |les |mes )*THINGOF', 'THINGOF'],
  ],
}

const OF = ' (?:von|de|del|du) '
const LEAD =
  '(?:(?:zeige?|suche?|finde?|muéstrame|busca|cuál (?:es|fue)|montre-moi|cherche|quel(?:le)? est|was (?:ist|war)|wann (?:ist|war|kam))(?: mir)? )?(?:(?:die|der|das|den|meine?|meinen|el|la|los|las|mi|mis|le|les|mon|ma|mes) )?'
/** Before a week, a month or a year. */
const ARTICLE =
  /(?<= )(?:la |el |le |l[’'])(?=(?:próxima )?(?:semana|mes|año|semaine|mois|année)(?!\p{L}))/giu

const FORMS = [GERMAN, SPANISH, FRENCH].flatMap(({ before, sent, forms }) =>
  forms.map(([form, english]) => ({
    form: whole(
      form
        .replace('THINGOF', `THING(?<rest>${OF}.+)`)
        .replace('THING', `(?<thing>${Object.values(THINGS).join('|')})`)
        .replace('LEAD', LEAD)
        .replace('NUMBER', '(?<number>\\d{1,2} )?')
        .replaceAll('SENT', `(?:${sent})`)
        .replaceAll('WHO', `(?<who>(?!(?:${before}) )\\S+(?: (?!(?:${before})(?: |$))\\S+){0,3}?)`)
        .replace('WHAT', '(?<what>.+)')
        .replace('REST', `(?<rest> (?:${before})(?!\\p{L}).*?)?`),
    ),
    english: english.replace('THINGOF', 'THINGREST'),
  })),
)

/** Accents may be left out. */
function whole(form: string): RegExp {
  const lenient = form.replace(/[áéíóúàèñ]/g, letter => `[${letter.normalize('NFD')[0]}${letter}]`)
  return new RegExp(`^${lenient}$`, 'iu')
}

/** A question in German, Spanish or French as the English one that asks the same, if it has a known form; else as it is. */
export function inEnglish(query: string): string {
  if (query.length > LONGEST_QUESTION) return query
  const period = askedPeriod(query)
  const asked = withoutPeriod(query)
    .normalize('NFC')
    .replace(/^[\s¿¡]+|[\s?!.]+$/g, '')
    .replace(/(?<!\p{L})d[’'](?=\p{L})/giu, 'de ')
  for (const { form, english } of FORMS) {
    const found = form.exec(asked)
    if (!found) continue
    const { number = '', thing = '', who = '', what = '', rest = '' } = found.groups ?? {}
    const translated = english
      .replace('NUMBER', number)
      .replace('THING', () => nameOf(thing))
      .replace('WHO', () => (/^(?:ich|wir)$/i.test(who) ? 'I' : who))
      .replace('WHAT', () => what)
      .replace('REST', () => restInEnglish(rest))
    return period === undefined ? translated : `${translated} per ${period}`
  }
  return query
}

function nameOf(thing: string): string {
  return Object.entries(THINGS).find(([, written]) => whole(`(?:${written})`).test(thing))?.[0] ?? thing
}

/** Only the first word before a name is one: in `de Ana en mayo de 2023`, the other is part of a date. */
function restInEnglish(rest: string): string {
  return PREPOSITIONS.reduce(
    (text, [written, english]) => {
      const start = english === 'about' || english === 'in' ? '' : '^'
      return text.replace(new RegExp(`${start} (?:${written}) `, 'iu'), ` ${english} `)
    },
    rest.replace(ARTICLE, '').replace(/^ (?=\d{4}$)/, ' in '),
  )
}
