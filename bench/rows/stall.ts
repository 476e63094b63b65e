import { Worker } from 'node:worker_threads'
import type { Background, BackgroundDone } from '../background.ts'
import { alternate } from '../measure.ts'
import { timed } from '../result.ts'
import type { Row } from '../row.ts'
import { TARGETS } from '../targets.ts'
import { recordReads } from './record.ts'
import { windowReads } from './windows.ts'

/** Small reads while another client imports without pause and a third one counts something that no index answers. */
export const stall: Row = {
  name: 'small reads during import and slow aggregate',
  async measure(rig) {
    const worker = new Worker(new URL('../background.ts', import.meta.url), {
      workerData: {
        url: rig.urls.server,
        tokens: rig.tokens,
        connections: rig.connections,
        firstMail: rig.size.records,
      } satisfies Background,
    })
    const next = () =>
      new Promise<unknown>((resolve, reject) => {
        worker.once('message', resolve)
        worker.once('error', reject)
      })
    await next()
    const { server, floor } = recordReads(rig)
    const window = await windowReads(rig, '1 MB')
    const samples = await alternate({ record: server, window: window.server, floor }, rig.size.stallSeconds)
    worker.postMessage('stop')
    const { imported, aggregated } = (await next()) as BackgroundDone
    await worker.terminate()
    if (imported === 0 || aggregated === 0) throw new Error('Nothing ran beside the small reads.')
    return (['record', 'window'] as const).map(name => {
      const figure = samples[name].at(0.99)
      const row = `${name === 'record' ? 'GET record' : 'window'} beside import and scan, p99`
      return timed({
        row,
        server: samples[name],
        floor: samples.floor,
        target: TARGETS.stall,
        figure,
      })
    })
  },
}
