import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the range from which the system chooses ports for clients and for servers that listen on port 0. */
const [firstPort, lastPort] = [10_000, 32_000]

/** An unused port, chosen at random so that parallel callers get different ports. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, lastPort)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** Starts a server on a free port. The server's responses contain its port, so it is chosen before the server listens. */
export async function onFreePort<Started>(start: (port: number) => Promise<Started>): Promise<Started> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePort())
    } catch (error) {
      const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
      if (!taken || attempt === 5) throw error
    }
  }
}
