/** Irregular English verbs and nouns, the base form first. Regular forms are stemmed, and stop words are not looked up. */
const FAMILIES = `
arise arose arisen|bear bore borne|beat beaten|become became|begin began begun|bend bent
bet|bind bound|bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred|bring brought|build built
burn burnt|buy bought|catch caught|choose chose chosen|come came|creep crept|deal dealt|dig dug
draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt
fight fought|find found|flee fled|fly flew flown|forbid forbade forbidden|forget forgot forgotten
forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go went gone goes|grow grew grown
hang hung|hear heard|hide hid hidden|hold held|keep kept|kneel knelt|know knew known|lay laid|lead led
lean leant|learn learnt|leave left|lend lent|lie lain|light lit|lose lost|make made|mean meant|meet met
mistake mistook mistaken|pay paid|prove proven|ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen
seek sought|sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot|show shown|shrink shrank shrunk
sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid|smell smelt|speak spoke spoken|speed sped|spell spelt
spend spent|spill spilt|spin spun|split|spoil spoilt|spring sprang sprung|stand stood|steal stole stolen|stick stuck
sting stung|strike struck|swear swore sworn|sweep swept|swim swam swum|swing swung|take took taken|teach taught
tear tore torn|tell told|think thought|throw threw thrown|understand understood|wake woke woken|wear wore worn
weave wove woven|weep wept|win won|wind wound|write wrote written
child children|foot feet|goose geese|knife knives|leaf leaves|life lives|man men|mouse mice|ox oxen|person people
shelf shelves|thief thieves|tooth teeth|wife wives|wolf wolves|woman women
`

/** All forms of a word, by its base form. */
export const FORMS: ReadonlyMap<string, readonly string[]> = new Map(
  FAMILIES.trim()
    .split(/[|\n]/)
    .map(family => family.trim().split(' '))
    .filter(forms => forms.length > 1)
    .map(forms => [forms[0] ?? '', forms]),
)

/** The base form of each form; a base form maps to itself. */
export const BASE_FORMS: ReadonlyMap<string, string> = new Map(
  [...FORMS].flatMap(([base, forms]) => forms.map((form): [string, string] => [form, base])),
)
