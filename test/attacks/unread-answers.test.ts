import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendRaw } from '../support/raw-socket.ts'
import { type TestServer, testServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

const request = (path: string, id: string) =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-request-id: ${id}\r\n\r\n`

/** A client that never reads, and sends this text again and again until it is disconnected: so it learns of that. */
async function deafClient(first: string, then: string): Promise<void> {
  const { hostname, port } = new URL(server.authUrl)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.pause()
  socket.on('error', () => {}) // a reset is one way to be closed
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.write(first)
  const sending = setInterval(() => socket.write(then), 20)
  await closed
  clearInterval(sending)
}

const served = (prefix: string) => server.logs().split(`"request_id":"${prefix}`).length - 1

describe('50: clients that send requests and never read', () => {
  test('thousands of requests in one packet: each connection is closed after the first few', async () => {
    const flood = request('/login', 'flood').repeat(1000)
    await Promise.all(Array.from({ length: 20 }, () => deafClient(flood, '\r\n')))
    expect(served('flood')).toBeLessThan(20 * 100)
  })

  test('(slow) requests one after the other: the connection is closed when its answers are not read', async () => {
    const [address = ''] =
      /\/assets\/[^"]+\.css/.exec(await (await fetch(`${server.authUrl}/login`)).text()) ?? []
    expect(address).not.toBe('')
    const one = request(address, 'drip')
    await Promise.all(Array.from({ length: 8 }, () => deafClient(one, one)))
    expect((await fetch(`${server.authUrl}/login`)).status).toBe(200)
  }, 90_000)

  test('a client that reads gets all 32 pipelined answers, in order', async () => {
    const last = `GET /nothing HTTP/1.1\r\nhost: x\r\nx-api-request-id: last\r\nconnection: close\r\n\r\n`
    const answer = await sendRaw(server.authUrl, request('/login', 'read').repeat(31) + last)
    expect(answer?.status).toBe(200)
    expect(answer?.body.match(/x-api-request-id: (read|last)/g)).toHaveLength(31) // and the first one's own
    expect(answer?.body).toMatch(/x-api-request-id: last/)
  })
})
