import { expect } from 'vitest'
import { connectionOf, issued, tokensFor } from './connection.ts'
import { api, refresh } from './journey.ts'
import type { TestPartner, TestServer } from './server.ts'

/**
 * So many parallel refreshes with a new connection's first refresh token, spread over the servers: one successor, and every
 * access token works on every server.
 */
export async function refreshRace(
  servers: readonly [TestServer, ...TestServer[]],
  partner: TestPartner,
  userId: string,
  atOnce: number,
): Promise<void> {
  const [server] = servers
  const at = (index: number) => servers[index % servers.length] ?? server
  const { refreshToken } = await tokensFor(server, partner, userId)
  const rotate = async (index: number) => issued(await refresh(at(index), partner, refreshToken))
  const answers = await Promise.all(Array.from({ length: atOnce }, (_, index) => rotate(index)))
  const successors = new Set(answers.map((answer) => answer.refreshToken))
  expect([...successors]).toHaveLength(1)
  expect(successors).not.toContain(refreshToken)
  const statuses = answers.map(
    async ({ accessToken }, index) => (await api(at(index + 1), 'households', accessToken)).status,
  )
  expect(await Promise.all(statuses)).toEqual(Array.from({ length: atOnce }, () => 200))
  expect(await connectionOf(server, refreshToken)).toMatchObject({
    revoked: false,
    generation: 2,
  })
}
