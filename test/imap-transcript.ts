import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/**
 * What the client sent, then what the server answered; bytes as Latin-1. The first exchange only has the server's
 * greeting.
 */
interface Exchange {
  client: string
  server: string
}

export type Transcript = Exchange[][]

export interface Listening extends AsyncDisposable {
  port: number
}

export async function listening(accept: (socket: Socket) => void): Promise<Listening> {
  const sockets = new Set<Socket>()
  const server: Server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    accept(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}

/** A proxy between a client and a real server that records what both send, one list per connection. */
export async function recordingProxy(port: number): Promise<Listening & { transcript: Transcript }> {
  const transcript: Transcript = []
  const proxy = await listening(client => {
    const session: Exchange[] = [{ client: '', server: '' }]
    transcript.push(session)
    const server = connect(port, '127.0.0.1')
    server.on('error', () => client.destroy())
    client.on('data', bytes => {
      const last = session.at(-1)
      const text = bytes.toString('latin1')
      if (last && last.server === '' && session.length > 1) last.client += text
      else session.push({ client: text, server: '' })
      server.write(bytes)
    })
    server.on('data', bytes => {
      const last = session.at(-1)
      if (last) last.server += bytes.toString('latin1')
      client.write(bytes)
    })
    client.on('close', () => server.destroy())
    server.on('close', () => client.end())
  })
  return { ...proxy, transcript }
}

/** A server that replays a recording, as long as the client sends what the recorded client sent. */
export async function replayingServer(transcript: Transcript): Promise<Listening & { surprises: string[] }> {
  const surprises: string[] = []
  let connections = 0
  const server = await listening(socket => {
    const session = transcript[connections++]
    if (!session) {
      surprises.push('one connection too many')
      socket.destroy()
      return
    }
    let at = 0
    let heard = ''
    const say = () => socket.write(Buffer.from(session[at]?.server ?? '', 'latin1'))
    say()
    socket.on('data', bytes => {
      heard += bytes.toString('latin1')
      const expected = session[at + 1]?.client
      if (expected !== undefined && heard.length < expected.length && expected.startsWith(heard)) return
      if (heard !== expected) {
        surprises.push(`said ${JSON.stringify(heard)}, not ${JSON.stringify(expected)}`)
        socket.destroy()
        return
      }
      heard = ''
      at++
      say()
    })
  })
  return { ...server, surprises }
}
