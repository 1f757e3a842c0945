import { createServer } from 'node:net'

const givenPorts = new Set<number>()

/** A port on which nobody listens. Never the same one twice in a process: the system may offer a port again at once. */
export async function freePort(): Promise<number> {
  const port = await portOfSystem()
  if (givenPorts.has(port)) return freePort()
  givenPorts.add(port)
  return port
}

function portOfSystem(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
