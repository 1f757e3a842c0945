import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { compare } from '../compare.ts'
import { bearer, newCodes, redeem } from '../journey.ts'
import { flood, loadHttp } from '../load.ts'
import type { Table } from '../table.ts'
import type { World } from '../world.ts'

const unlimited = 'without limits'
const limited = 'with limits'
const alone = 'alone'
const besideFlood = 'during a flood'

/** Requests per second of another partner, and of the flood. */
const steadyRate = 200
const floodRate = 1000

export async function limits(world: World): Promise<Table[]> {
  const [code = ''] = await newCodes(world, world.es256Partner, 'firm', 1)
  const token = (await redeem(world, world.es256Partner, code)).access_token
  return [await costOfLimits(world, token), await floodOf(world, token)]
}

async function costOfLimits(world: World, token: string): Promise<Table> {
  await setLimits(world, token, 1_000_000)
  const url = `${world.baseUrl}api/v1/households?page_size=100`
  const contender = (name: string, accessToken: string) => ({
    ...{ name, pids: [world.server] },
    load: (seconds: number) => loadHttp({ url, headers: bearer(accessToken), duration: seconds }),
  })
  const about = {
    title: 'A page of 100 with and without limits',
    note: 'The limits are those of the partner and of its user. They are not reached.',
    goals: [
      {
        goal: 'limits: CPU of a page with limits against one without',
        ...({ measure: 'cpu', of: limited, against: unlimited, limit: { atMost: 1.05 } } as const),
      },
    ],
  }
  const contenders = [contender(unlimited, world.tokens.firm), contender(limited, token)]
  return compare(about, contenders, world.effort, world.postmaster)
}

async function floodOf(world: World, token: string): Promise<Table> {
  await setLimits(world, token, 1)
  const url = `${world.baseUrl}api/v1/households?page_size=100`
  const steady = (seconds: number) =>
    loadHttp({ url, headers: bearer(world.tokens.firm), duration: seconds, overallRate: steadyRate })
  const about = {
    title: `A page of another partner while one token sends ${floodRate} requests a second`,
    note: `The other partner sends ${steadyRate} requests a second. The quota of the flooding partner is used up. CPU per call includes that of the flood.`,
    goals: [
      {
        goal: 'limits: p99 of another partner during a flood against alone',
        ...({ measure: 'p99', of: besideFlood, against: alone, limit: { atMost: 1.5 } } as const),
      },
    ],
  }
  const contenders = [
    { name: alone, pids: [world.server], load: steady },
    {
      ...{ name: besideFlood, pids: [world.server] },
      async load(seconds: number) {
        const flooding = flood({ url, headers: bearer(token), duration: seconds, overallRate: floodRate })
        const load = await steady(seconds)
        await flooding
        return load
      },
    },
  ]
  return compare(about, contenders, world.effort, world.postmaster)
}

/** Sets the limits of the second partner, and waits until the server knows them. */
async function setLimits(
  { databaseUrl, baseUrl, es256Partner }: World,
  token: string,
  most: number,
): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const settings = { requests_per_minute: most, requests_per_user_per_minute: most }
  await client.query('UPDATE partners SET limits = $2 WHERE client_id = $1', [
    es256Partner.clientId,
    settings,
  ])
  await client.end()
  const expected = `"partner";q=${most};w=60, "user";q=${most};w=60`
  for (let seconds = 0; seconds < 30; seconds++) {
    const response = await fetch(`${baseUrl}api/v1/households?page_size=1`, { headers: bearer(token) })
    await response.arrayBuffer()
    if (response.headers.get('ratelimit-policy') === expected) return
    await sleep(1000)
  }
  throw new Error('the server does not apply the limits')
}
