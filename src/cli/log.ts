import type { Answered } from '../origin/dispatcher.ts'
import { cut, oneLine } from './terminal/terminal.ts'

export const LOG_FORMS = ['text', 'json'] as const
type LogForm = (typeof LOG_FORMS)[number]

const MOST_CHARACTERS = 500
const MOST_FRAMES = 12

/** What the server reports to its operator, one line each, without record data, queries and secrets. */
export interface Log {
  /** A failure of the server itself. */
  failure(error: unknown, request_id: string): void
  /** Something that happened, as a sentence for a person or as a name with facts. */
  event(words: string, name: string, facts?: Readonly<Record<string, unknown>>): void
  /** A response over HTTP; logged only in JSON. */
  request(answer: Answered): void
}

/** Writes to stderr, because stdout is for results. */
export function logIn(form: LogForm, write: (line: string) => void = toStderr): Log {
  return form === 'json' ? jsonLog(write) : textLog(write)
}

/** Reports each failure once: a command may get the same one from many requests, and says it itself at its end. */
export function onceEach(report: Log['failure']): Log['failure'] {
  const said = new Set<string>()
  return (error, request_id) => {
    const words = String(error)
    if (said.has(words)) return
    said.add(words)
    report(error, request_id)
  }
}

function toStderr(line: string): void {
  process.stderr.write(line)
}

function textLog(write: (line: string) => void): Log {
  return {
    failure(error, request_id) {
      const { name, message, frames } = described(error)
      write(`${new Date().toISOString()} ${request_id} ${name}: ${message} ${frames[0] ?? ''}\n`)
    },
    event: words => write(`${words}\n`),
    request() {},
  }
}

function jsonLog(write: (line: string) => void): Log {
  const line = (level: 'info' | 'error', event: string, facts: object) =>
    write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...facts })}\n`)
  return {
    failure(error, request_id) {
      const { name, message, frames } = described(error)
      line('error', 'failure', { request_id, error: name, message, stack: frames })
    },
    event: (_, name, facts = {}) => line('info', name, facts),
    request({ request_id, method, path, status, code, seconds, isFromNetwork }) {
      if (!isFromNetwork) return
      const ms = Math.round(seconds * 1e6) / 1e3
      line('info', 'request', { request_id, method, route: path, status, ...(code && { code }), ms })
    },
  }
}

function described(error: unknown): { name: string; message: string; frames: string[] } {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  const frames = stack.split('\n').filter(line => /^ +at /.test(line))
  return {
    name,
    message: cut(oneLine(message.replace(QUOTED, (_, named?: string) => named ?? '"…"')), MOST_CHARACTERS),
    frames: frames.slice(0, MOST_FRAMES).map(frame => oneLine(frame).trim().replace(OWN_FOLDER, '')),
  }
}

/** The installation folder is of no use in a log, and may reveal who runs the server. */
const OWN_FOLDER = /(?:file:\/\/)?\/[^\s()]*\/(?=(?:src|dist|node_modules)\/)/

/**
 * Names that a database mentions are its own; anything else in quotation marks may be record data, as in JSON errors.
 */
const NAMED = /\b(?:relation|constraint|column|table|index|database|role|user|schema|function) "[\w.]+"/
const QUOTED = new RegExp(`(${NAMED.source})|"[^]*"`, 'g')
