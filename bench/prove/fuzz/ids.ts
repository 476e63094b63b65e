import assert from 'node:assert/strict'
import fc from 'fast-check'
import { parsePassageId } from '../../../src/mcp/research/passages.ts'
import { CodedError } from '../../../src/model/errors.ts'
import {
  formatResultId,
  parseRecordHandle,
  parseRecordUri,
  parseResultId,
  recordHandle,
  recordUri,
} from '../../../src/model/ids/handle.ts'
import { blobUri, parseBlobUri, parseFieldWindowUri } from '../../../src/model/ids/window-uri.ts'
import { type Fuzzer, NOTHING_TO_STOP } from './fuzzer.ts'
import { mutated, nasty } from './mutation.ts'

/** The value, or undefined for a typed refusal. Every other error is a failure. */
export function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch (error) {
    if (error instanceof CodedError) return undefined
    throw error
  }
}

/** Result ids: formatting and parsing are inverse to each other. */
export const ids: Fuzzer<string[]> = {
  name: 'ids',
  async start() {
    const written = ['cin_abcdef/messages:m1', 'messages:m1', 'cin_abcdef/messages:a:b:c', 'a/b:ü漢']
    return {
      ...NOTHING_TO_STOP,
      input: fc.oneof(
        mutated(written).map(text => [text]),
        fc.tuple(nasty, nasty, nasty),
      ),
      async check([text = '', stream, record]) {
        if (stream === undefined || record === undefined) {
          const read = parsed(() => parseResultId(text))
          if (!read) return
          const again = formatResultId(read.connection_id, read.stream, read.record_id)
          assert.ok(again === null || again === text, `${text} is written as ${again}`)
          return
        }
        const id = formatResultId(text, stream, record)
        if (id === null) return
        assert.deepEqual(parseResultId(id), { connection_id: text, stream, record_id: record })
      },
    }
  },
}

const PARSERS = [parseRecordHandle, parseRecordUri, parseFieldWindowUri, parseBlobUri, parsePassageId]

/** Handles and URIs: only typed refusals, and each record is found by its names. */
export const handles: Fuzzer<string[]> = {
  name: 'handles',
  async start() {
    const written = [
      recordUri('cin_abcdef', 'messages', 'm1'),
      recordHandle(null, 'messages', '../ü'),
      blobUri(`sha256-${'0'.repeat(64)}`),
      'pdpp://record/cin_abcdef%2Fmessages%3Am1',
      'cin_abcdef/messages:m1#/body@120',
    ]
    return {
      ...NOTHING_TO_STOP,
      input: fc.oneof(
        mutated(written).map(text => [text]),
        fc.tuple(nasty, nasty, nasty),
      ),
      async check([text = '', stream, record]) {
        for (const parse of PARSERS) parsed<unknown>(() => parse(text))
        if (stream === undefined || record === undefined) return
        const named = { connection_id: text, stream, record_id: record }
        const uri = parsed(() => recordUri(text, stream, record))
        const read = uri === undefined ? undefined : parsed(() => parseRecordUri(uri))
        if (read) assert.deepEqual(read, named)
      },
    }
  },
}
