/*
 * Korean writes particles after a word, and Hebrew writes articles, conjunctions and prepositions before it, without a
 * space. The rest is a word too.
 */

const PARTICLES = (
  '으로부터 에서부터 까지는 에게는 에게서 에서는 에서도 으로는 으로도 으로서 으로써 이라고 이라는 이지만 까지 께서 과는 ' +
  '라고 라는 마다 만큼 밖에 보다 부터 에게 에는 에도 에서 와는 으로 이나 이란 조차 처럼 하고 가 과 나 는 도 로 를 만 에 와 은 을 의 이'
).split(' ')
/** At least two syllables remain, and as few as possible. */
const WITH_PARTICLE = new RegExp(`^(\\p{sc=Hangul}{2,}?)(?:${PARTICLES.join('|')})$`, 'u')
const HEBREW_PREFIX = /^(?:[וש]?[הבכלמ]|[וש])(?=[\u05d0-\u05ea]{3})/

/** A Korean word without its particle; null if it has none. */
export function withoutParticle(word: string): string | null {
  return WITH_PARTICLE.exec(word)?.[1] ?? null
}

/** A Hebrew word without what may be attached to it; nothing if the word has no such beginning. */
export function withoutPrefix(word: string): string[] {
  const plain = word.replace(HEBREW_PREFIX, '')
  return plain === word ? [] : [plain]
}
