import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceOf } from '../../test/imported.ts'
import { IMPORTERS } from './importers.ts'
import { recognise } from './recognition.ts'

const MAILBOX = `From ada@example.org Thu Jan  1 00:00:00 2026
From: Ada <ada@example.org>
Subject: Garden
Date: Thu, 1 Jan 2026 00:00:00 +0000

The garden plan is here.
`

test('only the formats whose sign a file has are loaded, and mail is examined once for all of its formats', async () => {
  const given = sourceOf({ 'x.mbox': MAILBOX })
  let opened = 0
  const files = given.files.map(file => ({
    ...file,
    open(start?: number) {
      opened++
      return file.open(start)
    },
  }))
  const loaded: string[] = []
  const importers = IMPORTERS.map(importer => ({
    ...importer,
    load() {
      loaded.push(importer.format)
      return importer.load()
    },
  }))
  const { found } = await recognise({ ...given, files }, importers)
  assert.deepEqual(
    found.map(({ importer }) => importer.format),
    ['mbox'],
  )
  assert.deepEqual(loaded, ['mbox', 'google-takeout-mail', 'eml', 'maildir'])
  assert.equal(opened, 1)
})
