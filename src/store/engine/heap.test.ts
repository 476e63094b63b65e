import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { count } from '../../../test/limits.ts'

/** Creates many short-lived objects, and prints how large the young generation became. */
const WORK = `
  import { setImmediate as turn } from 'node:timers/promises'
  import { getHeapSpaceStatistics } from 'node:v8'
  let most = 0
  const kept = []
  for (let round = 0; round < 60; round++) {
    kept[round % 10] = Array.from({ length: 20_000 }, (_, i) => ({ i, text: \`\${i} of \${round}\` }))
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    most = Math.max(most, space.space_size)
    const since = performance.now()
    while (performance.now() - since < 2) await turn()
  }
  console.log(most / 1024 / 1024)
  process.exit()`

async function youngMegabytes(before: string): Promise<number> {
  const args = ['--input-type=module', '--eval', before + WORK]
  return Number((await promisify(execFile)(process.execPath, args)).stdout)
}

test('the young generation of a server and of an import stays small', async () => {
  const url = new URL('./heap.ts', import.meta.url)
  const limit = (megabytes: number) =>
    `import { limitYoungSpace } from '${url}'; limitYoungSpace({ megabytes: ${megabytes}, ofWorkers: 4, lookMs: 1 });`
  const [ofServer, ofImport, unlimited] = await Promise.all([
    youngMegabytes(limit(8)),
    youngMegabytes(limit(4)),
    youngMegabytes(''),
  ])
  assert.ok(ofServer <= 34, `${ofServer} MB`)
  assert.ok(ofImport <= 17, `${ofImport} MB`)
  assert.ok(unlimited >= 64, `the work does not need more: ${unlimited} MB`)
})

/** Leaves garbage that only a full collection finds, waits for one, and prints how many megabytes are in use. */
const leave = (patienceMs: number) => `
  import { setTimeout as wait } from 'node:timers/promises'
  import { getHeapStatistics } from 'node:v8'
  const held = () => getHeapStatistics().used_heap_size / 1024 / 1024
  let kept = Array.from({ length: 400_000 }, (_, i) => ({ i, text: \`text \${i}\` }))
  await wait(50)
  kept = null
  for (let waited = 0; held() > 15 && waited < ${patienceMs}; waited += 100) await wait(100)
  console.log(held())
  process.exit()`

test('a server that has become idle frees the memory of its earlier work', async () => {
  const url = new URL('./heap.ts', import.meta.url)
  const held = async (script: string) =>
    Number((await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])).stdout)
  const [kept, collected] = await Promise.all([
    held(leave(2_000)),
    held(`import { keepHeapSmall } from '${url}'; keepHeapSmall(50); ${leave(30_000)}`),
  ])
  assert.ok(kept >= 30, `the work leaves too little behind: ${kept} MB`)
  assert.ok(collected <= 15, `${collected} MB`)
})

/** The same without pauses. */
const AT_ONCE = WORK.replace('since < 2', 'since < 0')
const OF_THE_LAUNCHER = ['--max-semi-space-size=8', '--heap-growing-percent=25']

/** What a script prints in a process that the launcher started. */
async function printed(script: string): Promise<string> {
  const args = [...OF_THE_LAUNCHER, '--input-type=module', '--eval', script]
  return (await promisify(execFile)(process.execPath, args)).stdout.trim()
}

test('a thread of a server has the young generation that it was started with', async () => {
  const url = new URL('./heap.ts', import.meta.url)
  const most = await printed(`
    import { Worker } from 'node:worker_threads'
    import { keepHeapSmall } from '${url}'
    keepHeapSmall()
    const work = 'data:text/javascript,' + encodeURIComponent(${JSON.stringify(AT_ONCE)})
    const worker = new Worker(new URL(work), { resourceLimits: { maxYoungGenerationSizeMb: 12 }, stdout: true })
    worker.stdout.pipe(process.stdout)`)
  // Usually 8; a collection that has begun may take more pages for a moment. The limit of the main thread allows 24.
  assert.ok(Number(most) > 0 && Number(most) <= 12, `${most} MB`)
})

test('a server reuses the code that an earlier one compiled, also under load', async () => {
  const url = new URL('./heap.ts', import.meta.url)
  const tags = await printed(`
    import { cachedDataVersionTag } from 'node:v8'
    const before = cachedDataVersionTag()
    const { keepHeapSmall } = await import('${url}')
    keepHeapSmall(1)
    process.once('exit', () => console.log(cachedDataVersionTag() === before))
    ${WORK}`)
  assert.equal(tags.split('\n').at(-1), 'true')
})

/** Counts 20 MB in parts of 64 KB, and prints how often all garbage was collected because code asked for it. */
const pass = (others: string) => `
  import { constants, PerformanceObserver } from 'node:perf_hooks'
  import { setTimeout as wait } from 'node:timers/promises'
  let collections = 0
  const observer = new PerformanceObserver(list => {
    for (const { detail: { kind, flags } } of list.getEntries()) {
      const isForced = (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0
      if (isForced && kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  const passed = passingBytes()
  for (let part = 1; part <= 320; part++) {
    passed(65_536)
    ${others}
  }
  await wait(100)
  console.log(collections)`

test('bytes that pass through are collected every 2 MB, unless something else has just collected', async () => {
  const url = new URL('./heap.ts', import.meta.url)
  const collections = async (others: string) => {
    const script = `import { collectNow, passingBytes } from '${url}'; ${pass(others)}`
    return Number(
      (await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])).stdout,
    )
  }
  assert.equal(await collections(''), 10)
  assert.equal(await collections('if (part % 16 === 0) collectNow()'), 20)
})

test('threads that start at the same time do not prevent each other from collecting garbage', async () => {
  const url = new URL('./heap.ts', import.meta.url)
  const start = () =>
    new Promise((resolve, reject) => {
      const thread = new Worker(`import('${url}').then(({ collectNow }) => collectNow())`, { eval: true })
      thread.once('error', reject).once('exit', resolve)
    })
  for (let round = 0; round < count(2, 10); round++) {
    const codes = await Promise.all(Array.from({ length: 8 }, start))
    assert.deepEqual([...new Set(codes)], [0])
  }
})
