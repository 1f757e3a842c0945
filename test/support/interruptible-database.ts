import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type Database, openPool } from '../../src/database/database.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { freePort } from './server.ts'

export type InterruptibleDatabase = TestDatabase & {
  /** Past the interruption. */
  direct: Database
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>
  heal(): Promise<void>
}

/** A database of one's own that can be made to go away: it is reached through a proxy. */
export async function interruptibleDatabase(): Promise<InterruptibleDatabase> {
  const own = await testDatabase()
  const target = new URL(own.url)
  const port = await freePort()
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port) })
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
  await heal()
  const url = own.url.replace(target.host, `127.0.0.1:${port}`)
  const database = openPool(url, () => {})
  return {
    url,
    database,
    direct: own.database,
    cut,
    heal,
    async drop() {
      await database.close()
      if (proxy.listening) await cut()
      await own.drop()
    },
  }
}
