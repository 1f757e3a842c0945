import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Milliseconds. A client that reads nothing of its answer for so long is disconnected. */
const writeTimeout = 15_000

/** More connections are closed at once. Far more than a server can answer in time, far fewer than its memory holds. */
const maxConnections = 4096

/**
 * Requests of one connection that wait for their answer or for the client to read it. Node answers any number of
 * pipelined requests at once and keeps the answers in memory; a client must expect a close and send the rest again
 * (RFC 9112 section 9.3.2).
 */
const maxPipelined = 32

/** Milliseconds between two log lines about refused connections. */
const refusalLogInterval = 10_000

/** Bounds what clients can make the server hold that send much and read nothing. */
export function limitConnections(app: FastifyInstance): void {
  const { server } = app
  server.maxConnections = maxConnections
  let refused = 0
  let loggedAt = 0
  server.on('drop', () => {
    refused += 1
    if (Date.now() < loggedAt + refusalLogInterval) return
    app.log.warn({ event: 'connections', outcome: 'refused', connections: refused }, 'too many connections')
    loggedAt = Date.now()
    refused = 0
  })

  const unanswered = new WeakMap<Socket, number>()
  // With this listener, Node leaves every timed out connection to us, also those that are idle between two requests.
  server.setTimeout(writeTimeout, (socket: Socket) => {
    const isWorkedOn = (unanswered.get(socket) ?? 0) > 0 && socket.writableLength === 0
    if (!isWorkedOn) socket.destroy()
  })
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    const count = (unanswered.get(socket) ?? 0) + 1
    unanswered.set(socket, count)
    reply.raw.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    if (count <= maxPipelined && !socket.destroyed) return done()
    if (!socket.destroyed) {
      request.log.info({ event: 'unreadable', reason: 'too_many_pipelined_requests' })
      socket.destroy()
    }
    reply.hijack()
    done()
  })
}
