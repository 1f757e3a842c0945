import { describe, expect, test } from 'vitest'
import { newClientId } from '../../src/partners/client-id.ts'
import { newToken } from '../../src/secrets/token-format.ts'
import { connectionOf, type Issued, issued, tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, refresh, send } from '../support/journey.ts'
import { neverIssued } from '../support/never-issued.ts'
import { refreshRace } from '../support/refresh-race.ts'
import { expectInvalidGrant } from '../support/token-endpoint.ts'

const hour = 3600
const day = 24 * hour

const server = await serverFixture({ clock: true, users: ['ada'] })
const partner = await server.partner()
const other = await server.partner({ name: 'Other Partner' })

async function rotate(refreshToken: string): Promise<Issued> {
  return issued(await refresh(server, partner, refreshToken))
}

async function statusOf(accessToken: string): Promise<number> {
  return (await api(server, 'households', accessToken)).status
}

describe('23: refreshes in parallel', () => {
  test('64 at once: all get the same successor, and every access token works', () =>
    refreshRace([server], partner, 'ada', 64))

  test('many generations: ten workers that share a token store keep one chain', async () => {
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    let current = refreshToken
    for (let generation = 0; generation < 5; generation++) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(current)))
      const [next, ...more] = new Set(answers.map((answer) => answer.refreshToken))
      expect(more).toEqual([])
      current = next ?? ''
      await server.passTime(hour)
    }
    expect(await connectionOf(server, refreshToken)).toMatchObject({ revoked: false, generation: 6 })
  })

  test('a token and its successor at once: both get a response, and the chain does not fork', async () => {
    const first = await tokensFor(server, partner, 'ada')
    const second = await rotate(first.refreshToken)
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        rotate(index % 2 ? first.refreshToken : second.refreshToken).then(({ refreshToken }) => ({
          of: index % 2 ? 'first' : 'second',
          refreshToken,
        })),
      ),
    )
    // The first token gets its successor, or the newest token if the successor was rotated meanwhile.
    const given = (of: string) =>
      new Set(answers.filter((answer) => answer.of === of).map((answer) => answer.refreshToken))
    const [third, ...more] = given('second')
    expect(more).toEqual([])
    for (const text of given('first')) expect([second.refreshToken, third]).toContain(text)
    expect(await connectionOf(server, first.refreshToken)).toMatchObject({
      revoked: false,
      generation: 3,
    })
  })

  test('64 replays at once: none gets tokens, and the first reason is kept', async () => {
    const first = await tokensFor(server, partner, 'ada')
    await rotate((await rotate(first.refreshToken)).refreshToken)
    await server.passTime(120)
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => refresh(server, partner, first.refreshToken)),
    )
    for (const answer of answers) expectInvalidGrant(answer, /revoked/)
    expect(await connectionOf(server, first.refreshToken)).toMatchObject({
      revoked_for: 'refresh_replayed',
      generation: 3,
    })
  })
})

describe('23: the response was lost', () => {
  test('repeated at once, and days later: the same successor, as long as it is unused', async () => {
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    let lost = await rotate(refreshToken)
    for (const later of [0, 55, 60, 5 * hour, 20 * day]) {
      await server.passTime(later)
      const again = await rotate(refreshToken)
      // For a minute the text is the same. Afterwards its 30 days begin again, and the expiry is part of the text.
      expect(again.refreshToken === lost.refreshToken).toBe(later < 60)
      expect(await connectionOf(server, refreshToken)).toMatchObject({ generation: 2 })
      expect(await statusOf(again.accessToken)).toBe(200)
      lost = again
    }
    await rotate(lost.refreshToken)
    expect(await connectionOf(server, refreshToken)).toMatchObject({ revoked: false, generation: 3 })
  })

  test('a successor that is returned again is valid for 30 days from then (contract, section 8)', async () => {
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    await rotate(refreshToken)
    await server.passTime(29 * day)
    const again = await rotate(refreshToken)
    await server.passTime(29 * day)
    expect(await statusOf((await rotate(again.refreshToken)).accessToken)).toBe(200)
  })

  test('within a minute the newest token is returned, even if the successor was used', async () => {
    const first = await tokensFor(server, partner, 'ada')
    const second = await rotate(first.refreshToken)
    const third = await rotate(second.refreshToken)
    await server.passTime(55)
    expect((await rotate(first.refreshToken)).refreshToken).toBe(third.refreshToken)
    expect(await connectionOf(server, first.refreshToken)).toMatchObject({
      revoked: false,
      generation: 3,
    })
  })

  test('the grace of one to two minutes counts from the rotation: repeating does not extend it', async () => {
    const first = await tokensFor(server, partner, 'ada')
    const second = await rotate(first.refreshToken)
    await rotate(second.refreshToken)
    for (const _ of [1, 2]) {
      await server.passTime(55)
      await rotate(first.refreshToken)
    }
    await server.passTime(10)
    expectInvalidGrant(await refresh(server, partner, first.refreshToken), /^Refresh token reuse detected\./)
  })
})

describe('23: a late replay of an ancestor', () => {
  test.each([
    ['the parent of a used token', 1],
    ['the first of a long chain', 4],
  ])('%s: only the connection is revoked', async (_what, generations) => {
    const sameGrant = await tokensFor(server, partner, 'ada')
    const otherPartner = await tokensFor(server, other, 'ada')
    const stolen = await tokensFor(server, partner, 'ada')
    let latest = await rotate(stolen.refreshToken)
    for (let more = 0; more < generations; more++) latest = await rotate(latest.refreshToken)
    await server.passTime(121)
    expect(await statusOf(latest.accessToken)).toBe(200)

    expectInvalidGrant(await refresh(server, partner, stolen.refreshToken), /^Refresh token reuse detected\./)

    const revoked = await connectionOf(server, stolen.refreshToken)
    expect(revoked).toMatchObject({ revoked_for: 'refresh_replayed', grant_revoked: false })
    for (const dead of [stolen, latest]) {
      expect(await statusOf(dead.accessToken)).toBe(401)
      expectInvalidGrant(await refresh(server, partner, dead.refreshToken), /^Refresh token reuse detected\./)
    }
    expect(await connectionOf(server, stolen.refreshToken)).toEqual(revoked)
    for (const [live, of] of [
      [sameGrant, partner],
      [otherPartner, other],
    ] as const) {
      expect(await statusOf(live.accessToken)).toBe(200)
      expect((await refresh(server, of, live.refreshToken)).status).toBe(200)
    }
  })

  test('is also detected when the ancestor has expired', async () => {
    const stolen = await tokensFor(server, partner, 'ada')
    const second = await rotate(stolen.refreshToken)
    await server.passTime(20 * day)
    const third = await rotate(second.refreshToken)
    await server.passTime(11 * day)
    expectInvalidGrant(await refresh(server, partner, stolen.refreshToken), /^Refresh token reuse detected\./)
    expectInvalidGrant(await refresh(server, partner, third.refreshToken), /^Refresh token reuse detected\./)
  })
})

describe('24: a stolen refresh token', () => {
  test('used by another client, at any time and any number of times: invalid_grant, the connection stays intact', async () => {
    const first = await tokensFor(server, partner, 'ada')
    const second = await rotate(first.refreshToken)
    await rotate(second.refreshToken)
    await server.passTime(hour)
    for (const presented of [first, second]) {
      const answer = await refresh(server, other, presented.refreshToken)
      expectInvalidGrant(answer, /^Unknown or expired refresh token, or it was issued to another client\.$/)
      const invented = await refresh(server, other, neverIssued('rt'))
      expect({ ...answer.body, request_id: '' }).toEqual({ ...invented.body, request_id: '' })
    }
    expect(await connectionOf(server, first.refreshToken)).toMatchObject({
      revoked: false,
      generation: 3,
    })
    expect(await statusOf((await rotate(second.refreshToken)).accessToken)).toBe(200)
  })

  test('without or with wrong client authentication: an error, the connection stays intact', async () => {
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    const ask = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
      send(`${server.baseUrl}oauth2/token`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
          ...parameters,
        }),
      })
    const { clientId } = partner
    expect(await ask({})).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    for (const credentials of [
      { client_id: clientId },
      { client_id: clientId, client_secret: '' },
      { client_id: clientId, client_secret: 'guess' },
      { client_id: clientId, client_secret: neverIssued('cs') },
      { client_id: clientId, client_secret: other.clientSecret },
      { client_id: newClientId('sandbox'), client_secret: partner.clientSecret },
    ]) {
      const answer = await ask(credentials)
      expect(answer, JSON.stringify(credentials)).toMatchObject({
        status: 401,
        body: { error: 'invalid_client' },
      })
    }
    expect(await connectionOf(server, refreshToken)).toMatchObject({ revoked: false, generation: 1 })
    expect((await rotate(refreshToken)).refreshToken).not.toBe(refreshToken)
  })

  test('12: an unknown client and a wrong secret get the same response', async () => {
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    const { text: clientSecret } = newToken('sandbox', 'cs')
    const known = await refresh(server, { ...partner, clientSecret }, refreshToken)
    const unknown = await refresh(
      server,
      { ...partner, clientId: newClientId('sandbox'), clientSecret },
      refreshToken,
    )
    expect(known.status).toBe(unknown.status)
    expect({ ...known.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' })
  })
})
