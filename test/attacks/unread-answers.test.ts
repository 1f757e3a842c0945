import { connect } from 'node:net'
import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { limitConnections } from '../../src/http/connection-limits.ts'
import { serverFixture } from '../support/fixtures.ts'
import { nonReadingClient, sendRaw } from '../support/raw-socket.ts'

const server = await serverFixture()

const request = (path: string, id: string) =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-request-id: ${id}\r\n\r\n`

const served = (prefix: string) => server.logs().split(`"request_id":"${prefix}`).length - 1

describe('50: clients that send requests and never read', () => {
  test('thousands of requests in one packet: each connection is closed after the first few', async () => {
    const flood = request('/login', 'flood').repeat(1000)
    await Promise.all(Array.from({ length: 20 }, () => nonReadingClient(server.authUrl, flood, '\r\n')))
    expect(served('flood')).toBeLessThan(20 * 100)
  })

  test('a client that reads gets all 32 pipelined answers, in order', async () => {
    const last = `GET /nothing HTTP/1.1\r\nhost: x\r\nx-api-request-id: last\r\nconnection: close\r\n\r\n`
    const answer = await sendRaw(server.authUrl, request('/login', 'read').repeat(31) + last)
    expect(answer?.status).toBe(200)
    expect(answer?.body.match(/x-api-request-id: (read|last)/g)).toHaveLength(31) // the first one is in the headers of `answer`
    expect(answer?.body).toMatch(/x-api-request-id: last/)
  })
})

test('50: a connection that is idle between two requests is closed', async () => {
  const app = Fastify({ keepAliveTimeout: 100 })
  limitConnections(app)
  app.get('/', async () => 'answer')
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect({ host: '127.0.0.1', port: Number(port) })
  const closed = new Promise((resolve) => socket.on('close', () => resolve('closed')))
  socket.on('data', () => {}).write(request('/', 'idle'))
  expect(await closed).toBe('closed')
  await app.close()
})
