import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Milliseconds. A client that reads nothing of its answer for this long is disconnected. */
const writeTimeout = 15_000

/** Further connections are closed at once. A server can answer far fewer in time, and its memory holds far more. */
const maxConnections = 4096

/**
 * Requests of one connection that wait for their answer, or whose answer the client has not read. Without a limit, Node
 * answers any number of pipelined requests at once and keeps the answers in memory. A client must expect that the server
 * closes the connection, and must then send the remaining requests again (RFC 9112 section 9.3.2).
 */
const maxPipelined = 32

/** Milliseconds between two log lines about refused connections. */
const refusalLogInterval = 10_000

/** Bounds the memory that clients can occupy if they send many requests and do not read the answers. */
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
  // With this listener, Node no longer closes timed out connections itself, not even idle ones. The listener must do it.
  server.setTimeout(writeTimeout, (socket: Socket) => {
    const isProcessing = (unanswered.get(socket) ?? 0) > 0 && socket.writableLength === 0
    if (!isProcessing) socket.destroy()
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
