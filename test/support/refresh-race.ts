import { expect } from 'vitest'
import { connectionOf, issued, tokensFor } from './connection.ts'
import { api, refresh } from './journey.ts'
import type { TestPartner, TestServer } from './server.ts'

/** So many parallel refreshes with a new connection's first refresh token: one successor, and every access token works. */
export async function refreshRace(
  server: TestServer,
  partner: TestPartner,
  userId: string,
  atOnce: number,
): Promise<void> {
  const { refreshToken } = await tokensFor(server, partner, userId)
  const rotate = async () => issued(await refresh(server, partner, refreshToken))
  const answers = await Promise.all(Array.from({ length: atOnce }, rotate))
  const successors = new Set(answers.map((answer) => answer.refreshToken))
  expect([...successors]).toHaveLength(1)
  expect(successors).not.toContain(refreshToken)
  const statuses = answers.map(
    async ({ accessToken }) => (await api(server, 'households', accessToken)).status,
  )
  expect(await Promise.all(statuses)).toEqual(Array.from({ length: atOnce }, () => 200))
  expect(await connectionOf(server, refreshToken)).toMatchObject({
    revoked: false,
    generation: 2,
  })
}
