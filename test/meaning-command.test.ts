import assert from 'node:assert/strict'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { meaningFolder, meaningMark } from '../src/meaning/folder.ts'
import { ModelProcess } from '../src/meaning/model-process.ts'
import { likeness, type Vector } from '../src/model/search/meaning.ts'
import { footnote, freshPlace, output } from './command-line.ts'
import { onOneEngine, PROVING } from './engines.ts'

onOneEngine('meaning is off until the owner agrees, and status and doctor say so', async engine => {
  const { location, flags, remove } = await freshPlace(engine)
  const folder = meaningFolder(location.directory)
  const unasked = await footnote(['meaning', 'on', ...flags])
  assert.equal(unasked.code, 64)
  assert.match(unasked.stderr, /Nothing was installed: --yes is missing\./)
  const refused = await footnote(['meaning', 'on', ...flags], { isTerminal: true, input: 'no\n' })
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /downloads 140 MB .*onnxruntime-node 1\.23\.2 \(MIT\)/s)
  assert.match(refused.stderr, /Nothing was installed\./)
  assert.equal(existsSync(folder), false)
  assert.match(await output(['meaning', 'status', ...flags]), /^Meaning is off\./)

  mkdirSync(folder)
  writeFileSync(meaningMark(location.directory), '{}')
  assert.equal(await output(['meaning', 'on', ...flags]), 'Meaning is on already.\n')
  const status = JSON.parse(await output(['meaning', 'status', '--json', ...flags]))
  assert.deepEqual([status.on, status.records, status.done], [true, 0, 0])
  assert.match((await footnote(['doctor', '--port', '0', ...flags])).stdout, /Meaning is on: 0 of 0 records/)
  assert.match(await output(['meaning', 'off', ...flags]), /^Meaning is off\./)
  assert.equal(existsSync(folder), false)
  await remove()
})

const proving = PROVING ? onOneEngine : () => {}

proving('the real model is installed by npm and knows what is alike', async engine => {
  const { location, flags, remove } = await freshPlace(engine)
  await output(['meaning', 'on', '--yes', ...flags])
  const folder = meaningFolder(location.directory)
  assert.ok(statSync(join(folder, 'model.onnx')).size > 30_000_000)
  using model = new ModelProcess({ folder, report: error => assert.fail(error) })
  const sentences = ['A man is eating food.', 'A man is eating a piece of bread.', 'The girl carries a baby.']
  const [food, bread, baby] = (await Promise.all(sentences.map(text => model.embed(text)))) as Vector[]
  assert.ok(food && bread && baby)
  assert.ok(likeness(food, bread) > 0.7, `${likeness(food, bread)}`)
  assert.ok(likeness(food, baby) < 0.2, `${likeness(food, baby)}`)
  assert.deepEqual(await model.embed(sentences[0] ?? ''), food)
  await remove()
})
