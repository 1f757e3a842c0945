import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { freePort } from './ports.ts'

export type DatabaseProxy = {
  /** The URL of the database through the proxy. */
  url: string
  listening(): boolean
  /** Forwards nothing from now on, without closing a connection. */
  silence(): void
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>
  heal(): Promise<void>
}

/** A proxy between a server and its PostgreSQL. `watch` gets each connection that the server opens. */
export async function databaseProxy(
  databaseUrl: string,
  watch: (client: Socket) => void = () => {},
): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const port = await freePort()
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port) })
    watch(client)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  const heal = async () => {
    proxy.listen(port, '127.0.0.1')
    await once(proxy, 'listening')
  }
  const cut = async () => {
    const closed = once(proxy, 'close')
    proxy.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const silence = () => {
    for (const socket of sockets) socket.pause()
  }
  await heal()
  const url = databaseUrl.replace(target.host, `127.0.0.1:${port}`)
  return { url, listening: () => proxy.listening, silence, cut, heal }
}
