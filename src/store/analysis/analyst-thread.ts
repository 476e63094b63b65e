import { parentPort } from 'node:worker_threads'
import { yieldToOthers } from '../thread-priority.ts'
import type { Asked } from './analyst.ts'
import { answerTo, claim } from './answer.ts'

yieldToOthers('analyst')
parentPort?.on('message', (asked: Asked) => {
  const answer = claim(asked) ? answerTo(asked.question) : null
  parentPort?.postMessage({ id: asked.id, answer }, answer ? [answer.words.buffer] : [])
})
parentPort?.postMessage('ready')
