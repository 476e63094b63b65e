import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deleteConnection } from '../src/api/owner/catalog.ts'
import { ingest } from '../src/api/records.ts'
import { importInto } from '../src/cli/import/import-into.ts'
import { planOf } from '../src/cli/import/import-plan.ts'
import type { OwnServer } from '../src/cli/own-server.ts'
import { openSource } from '../src/importers/source/open.ts'
import { onEachEngine } from './engines.ts'
import { importPlace } from './import-place.ts'

const MAIL = (id: string) => `From ada@example.org Thu Jan  1 10:00:00 2026
Message-ID: <${id}@example.org>
From: ada@example.org
Subject: A picture
Date: Thu, 01 Jan 2026 10:00:00 +0000
MIME-Version: 1.0
Content-Type: image/png; name="a.png"
Content-Disposition: attachment; filename="a.png"
Content-Transfer-Encoding: base64

iVBORw0KGgoAAAA=

`

onEachEngine(
  'an attachment stays if the only record that had it is deleted during an import',
  async engine => {
    await using place = await importPlace(engine)
    const server = await place.server()
    const imported = async (through: OwnServer, name: string, mails: string) => {
      const file = join(place.folder, `${name}.mbox`)
      await writeFile(file, mails)
      await using source = await openSource(file)
      const plan = await planOf(source, 'mbox')
      const watch = { begun() {}, progress() {} }
      return importInto(through, source, plan, { connection_id: null, name }, watch)
    }
    const { begun } = await imported(server, 'old', MAIL('one'))
    let isDeleted = false
    const deleting: OwnServer = {
      ...server,
      async call(route, path, sent) {
        if ((route as unknown) === ingest && !isDeleted) {
          isDeleted = true
          await server.call(deleteConnection, { connection_id: begun.connection_id })
        }
        return server.call(route, path, sent)
      },
    }
    await imported(deleting, 'new', MAIL('one') + MAIL('two'))
    const { data } = await place.call<{ data: object[] }>('/v1/streams/emails/records')
    assert.equal(data.length, 2)
    const [, blob_id] = /"blob_id":"([^"]+)"/.exec(JSON.stringify(data)) ?? assert.fail()
    assert.equal((await place.request(`/v1/blobs/${blob_id}`)).status, 200)
  },
)
