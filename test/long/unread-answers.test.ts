import { expect, test } from 'vitest'
import { deafClient } from '../support/deaf-client.ts'
import { serverFixture } from '../support/fixtures.ts'

const server = await serverFixture()

test('50: 300 clients that send requests one after the other and never read are disconnected', async () => {
  const page = await (await fetch(`${server.authUrl}/login`)).text()
  const [address = ''] = /\/assets\/[^"]+\.css/.exec(page) ?? []
  expect(address).not.toBe('')
  const request = `GET ${address} HTTP/1.1\r\nhost: x\r\n\r\n`
  await Promise.all(Array.from({ length: 300 }, () => deafClient(server.authUrl, request, request)))
  expect((await fetch(`${server.authUrl}/login`)).status).toBe(200)
}, 300_000)
