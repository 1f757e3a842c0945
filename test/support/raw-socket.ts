import { connect, type Socket } from 'node:net'

export type RawAnswer = { status: number; headers: Map<string, string>; body: string }

/**
 * Sends exactly these bytes (a string is Latin-1) and reads until the server closes the connection, so the request must
 * contain `connection: close`. Undefined if the server closed without a response.
 */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<RawAnswer | undefined> {
  const socket = connectTo(url)
  const closed = readToEnd(socket)
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  const text = await closed
  return text === '' ? undefined : parseAnswer(text)
}

/** A request without a body. The connection closes afterwards. Headers are sent as given, and may repeat. */
export function getRaw(
  url: string,
  path: string,
  headers: string[] = [],
  method = 'GET',
): Promise<RawAnswer | undefined> {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: localhost', 'connection: close', ...headers]
  return sendRaw(url, `${lines.join('\r\n')}\r\n\r\n`)
}

/** A POST with a correct Content-Length. */
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

/**
 * Sends `first` at once, then one byte of `rest` each second, over and over, until the server closes the connection.
 * @returns milliseconds until then
 */
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

/** Connects, never reads, and sends `again` every 20 ms, so that it notices when the server disconnects it. */
export async function nonReadingClient(url: string, first: string, again: string): Promise<void> {
  const socket = connectTo(url)
  socket.pause()
  socket.on('error', () => {}) // a reset also closes the connection
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.write(first)
  const sending = setInterval(() => socket.write(again), 20)
  await closed
  clearInterval(sending)
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
    socket.on('error', () => {}) // a reset also closes the connection
    socket.on('close', () => resolve(text))
  })
}
