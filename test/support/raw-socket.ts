import { connect, type Socket } from 'node:net'

export type RawAnswer = { status: number; headers: Map<string, string>; body: string }

/**
 * Sends these very bytes (a text is Latin-1), and reads until the server closes: ask for `connection: close`.
 * Undefined: the server closed without an answer.
 */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<RawAnswer | undefined> {
  const socket = connectTo(url)
  const closed = readToEnd(socket)
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  const text = await closed
  return text === '' ? undefined : parseAnswer(text)
}

/** A request without a body, to close afterwards. Headers as they stand, any number of times. */
export function getRaw(
  url: string,
  path: string,
  headers: string[] = [],
  method = 'GET',
): Promise<RawAnswer | undefined> {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: localhost', 'connection: close', ...headers]
  return sendRaw(url, `${lines.join('\r\n')}\r\n\r\n`)
}

/** A POST with a body of its true length. */
export function postRaw(
  url: string,
  path: string,
  headers: string[],
  body: string | Buffer,
): Promise<RawAnswer | undefined> {
  const bytes = Buffer.from(body)
  const lines = [`POST ${path} HTTP/1.1`, 'host: localhost', 'connection: close', ...headers]
  const head = `${lines.join('\r\n')}\r\ncontent-length: ${bytes.length}\r\n\r\n`
  return sendRaw(url, Buffer.concat([Buffer.from(head, 'latin1'), bytes]))
}

/** Sends the first at once, then of the rest (over and over) one byte a second for as long as the server lets it. @returns milliseconds until the server closed */
export async function trickle(url: string, bytes: { first: string; rest: string }): Promise<number> {
  const began = Date.now()
  const socket = connectTo(url)
  const closed = readToEnd(socket)
  socket.write(bytes.first)
  let sent = 0
  const timer = setInterval(() => socket.write(bytes.rest.charAt(sent++ % bytes.rest.length)), 1000)
  await closed
  clearInterval(timer)
  return Date.now() - began
}

function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = new Map(
    lines.map((line) => {
      const cut = line.indexOf(':')
      return [line.slice(0, cut).toLowerCase(), line.slice(cut + 1).trim()] as const
    }),
  )
  return { status: Number(first.split(' ')[1]), headers, body: rest.join('\r\n\r\n') }
}

function connectTo(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect({ host: hostname, port: Number(port) })
}

function readToEnd(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('error', () => {}) // a reset is one way to be closed
    socket.on('close', () => resolve(text))
  })
}
