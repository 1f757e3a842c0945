import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { compare, type Goal } from '../compare.ts'
import { type Reader, readerNames, readers } from '../data.ts'
import { bearer, nextOf } from '../journey.ts'
import { loadHttp } from '../load.ts'
import { number, type Table } from '../table.ts'
import type { World } from '../world.ts'

const deepest = 5000
const size = 100

const names = { first: 'first page', linked: 'deep page, by Link', counted: 'deep page, by its number' }

const goalsOf = (reader: Reader): Goal[] =>
  (['rate', 'cpu'] as const).map((measure) => ({
    goal: `depth, ${reader}: ${measure === 'rate' ? 'calls/s' : 'CPU'} of a deep page by Link against the first`,
    ...{ measure, of: names.linked, against: names.first, limit: { within: 1.2 } },
  }))

/** For the readers who have more than one full page. */
export async function depth(world: World): Promise<Table[]> {
  const tables: Table[] = []
  for (const reader of readerNames) {
    const first = `${world.baseUrl}api/v1/households?page_size=${size}`
    const deep = await followLinks(first, bearer(world.tokens[reader]))
    if (deep.page > 0) tables.push(await depthAs(world, reader, first, deep))
  }
  return tables
}

async function depthAs(world: World, reader: Reader, first: string, deep: Here): Promise<Table> {
  const counted = new URL(deep.url)
  counted.searchParams.delete('cursor')
  const headers = bearer(world.tokens[reader])
  const pages = {
    [names.first]: first,
    [names.linked]: deep.url,
    ...((await fetch(counted, { headers })).ok && { [names.counted]: counted.href }),
  }
  const contenders = Object.entries(pages).map(([name, url]) => ({
    name,
    pids: [world.server],
    prepare: () => idle(world.databaseUrl),
    load: (seconds: number) => loadHttp({ url, headers, duration: seconds }),
  }))
  const about = {
    title: `Page ${number(deep.page)} of ${size} each, for a user who ${readers[reader].who}`,
    note:
      `The last full page, at most page ${number(deepest)}. ` +
      'A client that follows `Link` never pays for the pages before. One that counts pages itself does, and only where ' +
      'PostgreSQL reads them within its five seconds.',
    goals: goalsOf(reader),
    summary:
      reader === 'firm'
        ? Object.keys(pages)
            .slice(1)
            .map((of) => ({ of, operation: `${of}, ${reader}` }))
        : [],
  }
  return compare(about, contenders, world.effort, world.postmaster)
}

/** Waits until PostgreSQL has finished the statements that are left from the previous round. */
async function idle(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const others = `SELECT FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND backend_type = 'client backend'`
  while ((await client.query(others)).rowCount) await setTimeout(50)
  await client.end()
}

type Here = { url: string; page: number }

/** Follows `Link` to the last full page, or to the deepest page of the bench. */
async function followLinks(first: string, headers: Record<string, string>): Promise<Here> {
  let here = { url: first, page: 0 }
  let { next } = await open(first, headers)
  while (next && here.page < deepest) {
    const page = await open(next, headers)
    if (page.households < size) break
    here = { url: next, page: here.page + 1 }
    next = page.next
  }
  return here
}

async function open(url: string, headers: Record<string, string>) {
  const response = await fetch(url, { headers })
  const body: unknown = await response.json()
  return { households: Array.isArray(body) ? body.length : 0, next: nextOf(response.headers) }
}
