import { analyze } from '../text/analyzer.ts'
import { isSaying } from '../text/questions.ts'
import { type Clue, requiredClues } from './search-query.ts'

/** What people ask about a person, in the languages of the dates that a query can name, and the words beside it. */
const DETAILS = [
  'phone telephone mobile cell tel number fax email e-mail mail address street city birthday birth born live work',
  'contact details card website nickname company organization organisation employer job title',
  'telefon telefonnummer handy handynummer nummer mailadresse adresse anschrift geburtstag firma',
  'teléfono móvil número correo dirección cumpleaños empresa téléphone portable numéro courriel adresse anniversaire',
  'telefono cellulare numero indirizzo compleanno telefone celular endereço aniversário telefoon adres verjaardag',
  'телефон телефона номер номера адрес адреса почта день рождения дня telefonu doğum günü adresi numarası',
  'von van de del du di wie was ist die der wann hat lautet cuál cuándo es el la quel quand est le как',
  '電話番号 電話 番号 住所 誕生日 电话 号码 地址 生日 邮箱 전화번호 주소 생일',
].join(' ')

let known: ReadonlySet<string> | null = null

/** Whether a word only says what is asked about a person. */
function isDetail(key: string): boolean {
  known ??= new Set(analyze(DETAILS).map(word => word.key))
  return known.has(key)
}

/** The names in a query that may be a person's, and whether something about that person is asked for. */
export interface AskedPerson {
  names: readonly string[]
  details: readonly string[]
}

/** Null for a query that hardly asks about a person: of other things, many words, or nothing but details. */
export function askedPerson(clues: readonly Clue[]): AskedPerson | null {
  const keys = requiredClues(clues).flatMap(clue => (clue.kind === 'word' ? [clue.key] : []))
  if (keys.length === 0 || clues.some(isOfSomethingElse)) return null
  const names = keys.filter(key => !isDetail(key))
  const isNamed = names.length > 0 && names.length <= MOST_NAMES
  return isNamed ? { names, details: keys.filter(isDetail) } : null
}

const MOST_NAMES = 5

/** Phrases and prefixes, and verbs that ask what a person said. */
function isOfSomethingElse(clue: Clue): boolean {
  return clue.kind !== 'word' || (clue.stop && isSaying(clue.key))
}
