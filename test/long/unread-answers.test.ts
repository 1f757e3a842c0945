import { expect, test } from 'vitest'
import { serverFixture } from '../support/fixtures.ts'
import { nonReadingClient } from '../support/raw-socket.ts'

const server = await serverFixture()

test('50: 300 clients that send requests one after the other and never read are disconnected', async () => {
  const page = await (await fetch(`${server.authUrl}/login`)).text()
  const [address = ''] = /\/assets\/[^"]+\.css/.exec(page) ?? []
  expect(address).not.toBe('')
  const request = `GET ${address} HTTP/1.1\r\nhost: x\r\n\r\n`
  await Promise.all(Array.from({ length: 300 }, () => nonReadingClient(server.authUrl, request, request)))
  expect((await fetch(`${server.authUrl}/login`)).status).toBe(200)
}, 300_000)
