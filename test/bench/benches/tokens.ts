import type { Request } from 'autocannon'
import { type Contender, compare, type Goal } from '../compare.ts'
import { instructionsUnit } from '../cost.ts'
import { readers } from '../data.ts'
import { type Addresses, form, newCodes, readTokens, redeem, tokenBody, tokenUrl } from '../journey.ts'
import { connections, type Load, loadHttp } from '../load.ts'
import { type Stack, stackName, startStack } from '../peers/stack.ts'
import type { Table } from '../table.ts'
import type { Credentials, Partner, World } from '../world.ts'

/** Codes to redeem per second of a round. They are valid for a minute, and Latchkey needs a few page requests for each. */
const codesPerSecond = 100

const name = 'Latchkey'
const names = { withIdToken: `${name}, with id_token`, rs256: `${name}, RS256`, es256: `${name}, ES256` }

/** A token endpoint, and how to get codes for it. */
export type Issuer = {
  pid: number
  addresses: Pick<Addresses, 'baseUrl'>
  partner: Partner
  newCodes(count: number): Promise<string[]>
}

export function latchkeyIssuer(world: World, partner = world.partner): Issuer {
  return {
    ...{ pid: world.server, addresses: world, partner },
    newCodes: (count) => newCodes(world, partner, 'granted', count),
  }
}

async function withStack(
  world: World,
  work: (stack: Stack, peer: Issuer) => Promise<Table>,
): Promise<Table[]> {
  const stack = await startStack(world)
  const peer: Issuer = {
    ...{ partner: stack.partner, ...stack.provider },
    newCodes: (count) => stack.newCodes(readers.granted.id, count),
  }
  try {
    return [await work(stack, peer)]
  } finally {
    stack.stop()
  }
}

/** Limits for the rate against the peer's, and for the thousands of instructions of a call. */
const goalsOf = (operation: string, of: string, rate: number, instructions: number): Goal[] => [
  {
    goal: `${operation}: calls/s against ${stackName}`,
    ...{ measure: 'rate', of, against: stackName, limit: { atLeast: rate } },
  },
  {
    goal: `${operation}: instructions of a call`,
    ...{ measure: 'cpu', of, limit: { atMost: instructions, unit: instructionsUnit } },
  },
]

export function refresh(world: World): Promise<Table[]> {
  const about = {
    title: 'Refresh with rotation',
    note:
      'Each client connection sends its latest refresh token; each rotation is on disk before the response. ' +
      `${stackName} signs an id_token (RS256) on each refresh. ${name} does so only if the request says ` +
      '`token_type=id`, so "with id_token" compares like with like.',
    goals: [
      ...goalsOf('refresh', name, 3, 1400),
      ...goalsOf('refresh with id_token', names.withIdToken, 1.5, 8000),
    ],
    summary: [
      { of: name, operation: 'refresh' },
      { of: names.withIdToken, operation: 'refresh, with id_token' },
    ],
  }
  return withStack(world, (_stack, peer) => {
    const issuer = latchkeyIssuer(world)
    const contenders = [
      refreshing(stackName, peer),
      refreshing(name, issuer),
      refreshing(names.withIdToken, issuer, wantsIdToken),
    ]
    return compare(about, contenders, world.effort, world.postmaster)
  })
}

/** Parameters of a refresh. Builds that sign an id_token on each refresh ignore them. */
export const wantsIdToken = { token_type: 'id' }

/** New chains each round: the end of a round interrupts a response, and the peer treats the retry as a replay. */
export function refreshing(name: string, issuer: Issuer, parameters: Record<string, string> = {}): Contender {
  const { pid, addresses, partner } = issuer
  let chains: string[] = []
  return {
    ...{ name, pids: [pid], fresh: true },
    prepare: async () => {
      const codes = await issuer.newCodes(connections)
      const redeemed = await Promise.all(codes.map((code) => redeem(addresses, partner, code)))
      chains = redeemed.map((tokens) => tokens.refresh_token)
    },
    load: (seconds) => rotate(issuer, chains, parameters, seconds),
  }
}

/** One round. `chains` holds the latest refresh token of each client connection. @throws if an id_token is missing */
async function rotate(
  { addresses, partner }: Issuer,
  chains: string[],
  parameters: Record<string, string>,
  duration: number,
): Promise<Load> {
  let taken = 0
  let withoutIdToken = 0
  const load = await loadHttp({
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
              ...{ grant_type: 'refresh_token', refresh_token: chains[chain] ?? '' },
              ...parameters,
            }),
          }),
          onResponse(status, body) {
            if (status !== 200) return
            const tokens = readTokens(body)
            chains[chain] = tokens.refresh_token
            if (tokens.id_token === undefined) withoutIdToken++
          },
        },
      ])
    },
  })
  if (parameters === wantsIdToken && withoutIdToken > 0)
    throw new Error(`${withoutIdToken} refreshes returned no id_token`)
  return load
}

export function exchange(world: World): Promise<Table[]> {
  const codes = codesFor(world.effort.seconds)
  const about = {
    title: 'Code exchange',
    note:
      `${codes} codes per round, created before the round starts; for ${name} by submitting *Connect* as often. ` +
      `Each response has an id_token; ${stackName} signs it with RS256.`,
    goals: [
      ...goalsOf('exchange with RS256', names.rs256, 1.6, 8000),
      ...goalsOf('exchange with ES256', names.es256, 2, 1900),
    ],
    summary: [
      { of: names.rs256, operation: 'code exchange, RS256' },
      { of: names.es256, operation: 'code exchange, ES256' },
    ],
  }
  return withStack(world, (_stack, peer) => {
    const contenders = [
      exchanging(stackName, peer, codes),
      exchanging(names.rs256, latchkeyIssuer(world), codes),
      exchanging(names.es256, latchkeyIssuer(world, world.es256Partner), codes),
    ]
    return compare(about, contenders, world.effort, world.postmaster)
  })
}

/** The number of codes that a round of so many seconds redeems. */
export function codesFor(seconds: number): number {
  return Math.max(connections, Math.ceil(codesPerSecond * seconds))
}

export function exchanging(name: string, issuer: Issuer, count: number): Contender {
  let codes: string[] = []
  return {
    ...{ name, pids: [issuer.pid], fresh: true },
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

export function introspect(world: World): Promise<Table[]> {
  const about = {
    title: 'Introspection',
    note: 'A client introspects the same live access token again and again; neither server caches the answer.',
    goals: goalsOf('introspection', name, 2.5, 800),
    summary: [{ of: name, operation: 'introspection' }],
  }
  return withStack(world, async ({ provider, introspecting: client }, peer) => {
    const [code = ''] = await peer.newCodes(1)
    const { access_token: token } = await redeem(peer.addresses, peer.partner, code)
    const contenders = [
      await introspecting(stackName, { ...provider, client, token }),
      await introspecting(name, ownToken(world)),
    ]
    return compare(about, contenders, world.effort, world.postmaster)
  })
}

type Introspected = { pid: number; addresses: Pick<Addresses, 'baseUrl'>; client: Credentials; token: string }

/** The partner introspects one of its own access tokens. */
export function ownToken(world: World): Introspected {
  return { pid: world.server, addresses: world, client: world.partner, token: world.tokens.granted }
}

/** @throws when the token is not active, because that answer may be cheaper */
export async function introspecting(
  name: string,
  { pid, addresses, client, token }: Introspected,
): Promise<Contender> {
  const url = `${addresses.baseUrl}oauth2/introspect`
  const request = { method: 'POST' as const, headers: form, body: tokenBody(client, { token }) }
  const answer = await (await fetch(url, request)).text()
  if (!/"active":\s*true/.test(answer)) throw new Error(`${name} says that its access token is not active`)
  return {
    ...{ name, pids: [pid], fresh: true },
    load: (seconds) => loadHttp({ url, requests: [request], duration: seconds }),
  }
}
