import type { Request } from 'autocannon'
import { type Contender, compare, type Goal } from '../compare.ts'
import { readers } from '../data.ts'
import { type Addresses, form, newCodes, readTokens, redeem, tokenBody, tokenUrl } from '../journey.ts'
import { connections, type Load, loadHttp } from '../load.ts'
import { stackName, startStack } from '../peers/stack.ts'
import type { Table } from '../table.ts'
import type { Partner, World } from '../world.ts'

/** Codes to redeem per second of a round. They are valid for a minute, and Latchkey needs a few page requests for each. */
const codesPerSecond = 100

const name = 'Latchkey'

/** A token endpoint, and how to get codes for it. */
export type Issuer = {
  name: string
  pid: number
  addresses: Pick<Addresses, 'baseUrl'>
  partner: Partner
  newCodes(count: number): Promise<string[]>
}

async function withIssuers<T>(world: World, work: (issuers: Issuer[]) => Promise<T>): Promise<T> {
  const stack = await startStack(world)
  const peer: Issuer = {
    ...{ name: stackName, partner: stack.partner, ...stack.provider },
    newCodes: (count) => stack.newCodes(readers.granted.id, count),
  }
  try {
    return await work([peer, latchkeyIssuer(world)])
  } finally {
    stack.stop()
  }
}

export function latchkeyIssuer(world: World): Issuer {
  return {
    ...{ name, pid: world.server, addresses: world, partner: world.partner },
    newCodes: (count) => newCodes(world, world.partner, 'granted', count),
  }
}

export async function refresh(world: World): Promise<Table[]> {
  const goal: Goal = {
    goal: `refresh: calls/s against ${stackName}`,
    ...{ measure: 'rate', of: name, against: stackName, limit: { atLeast: 4 } },
  }
  const about = {
    title: 'Refresh with rotation',
    note: 'Each client connection sends its latest refresh token; each rotation is on disk before the response.',
    goals: [goal],
    summary: [{ of: name, operation: 'refresh' }],
  }
  return withIssuers(world, async (issuers) => [
    await compare(about, issuers.map(refreshing), world.effort, world.postmaster),
  ])
}

/** New chains each round: the end of a round interrupts a response, and the peer treats the retry as a replay. */
export function refreshing(issuer: Issuer): Contender {
  const { name, pid, addresses, partner } = issuer
  let chains: string[] = []
  return {
    ...{ name, pids: [pid], fresh: true },
    prepare: async () => {
      const codes = await issuer.newCodes(connections)
      const redeemed = await Promise.all(codes.map((code) => redeem(addresses, partner, code)))
      chains = redeemed.map((tokens) => tokens.refresh_token)
    },
    load: (seconds) => rotate(issuer, chains, seconds),
  }
}

/** One round. `chains` holds the latest refresh token of each client connection. */
function rotate({ addresses, partner }: Issuer, chains: string[], duration: number): Promise<Load> {
  let taken = 0
  return loadHttp({
    url: tokenUrl(addresses),
    duration,
    setupClient(client) {
      const chain = taken++
      client.setRequests([
        {
          method: 'POST',
          headers: form,
          setupRequest: (request) => ({
            ...request,
            body: tokenBody(partner, {
              grant_type: 'refresh_token',
              refresh_token: chains[chain] ?? '',
            }),
          }),
          onResponse(status, body) {
            if (status === 200) chains[chain] = readTokens(body).refresh_token
          },
        },
      ])
    },
  })
}

export async function exchange(world: World): Promise<Table[]> {
  const goal: Goal = {
    goal: `exchange: calls/s against ${stackName}`,
    ...{ measure: 'rate', of: name, against: stackName, limit: { atLeast: 3 } },
  }
  const codes = codesFor(world.effort.seconds)
  const about = {
    title: 'Code exchange',
    note: `${codes} codes per round, created before the round starts; for Latchkey by submitting *Connect* as often.`,
    goals: [goal],
    summary: [{ of: name, operation: 'code exchange' }],
  }
  return withIssuers(world, async (issuers) => [
    await compare(
      about,
      issuers.map((issuer) => exchanging(issuer, codes)),
      world.effort,
      world.postmaster,
    ),
  ])
}

/** The number of codes that a round of so many seconds redeems. */
export function codesFor(seconds: number): number {
  return Math.max(connections, Math.ceil(codesPerSecond * seconds))
}

export function exchanging(issuer: Issuer, count: number): Contender {
  let codes: string[] = []
  return {
    ...{ name: issuer.name, pids: [issuer.pid], fresh: true },
    prepare: async () => {
      codes = await issuer.newCodes(count)
    },
    load: () => redeemAll(issuer, codes),
  }
}

function redeemAll({ addresses, partner }: Issuer, codes: string[]): Promise<Load> {
  let taken = 0
  const setupRequest = (request: Request): Request => ({
    ...request,
    body: tokenBody(partner, { grant_type: 'authorization_code', code: codes[taken++] ?? '' }),
  })
  return loadHttp({
    url: tokenUrl(addresses),
    amount: codes.length,
    setupClient: (client) => client.setRequests([{ method: 'POST', headers: form, setupRequest }]),
  })
}
