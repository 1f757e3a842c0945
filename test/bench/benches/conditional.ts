import { type Contender, compare, type Goal } from '../compare.ts'
import { type Reader, readerNames, readers } from '../data.ts'
import { bearer } from '../journey.ts'
import { loadHttp } from '../load.ts'
import type { Table } from '../table.ts'
import type { World } from '../world.ts'

const sizes = [100, 1000]

const nameOf = (status: 200 | 304, size: number) => `${status}, page of ${size.toLocaleString('en-US')}`

const goalsOf = (reader: Reader): Goal[] =>
  sizes.map((size) => ({
    goal: `conditional, ${reader}: database CPU of a 200 against its 304, pages of ${size.toLocaleString('en-US')}`,
    ...{ measure: 'databaseCpu', of: nameOf(200, size), against: nameOf(304, size), limit: { atLeast: 3 } },
  }))

export async function conditional(world: World): Promise<Table[]> {
  const tables: Table[] = []
  for (const reader of readerNames) tables.push(await conditionalAs(world, reader))
  return tables
}

async function conditionalAs(world: World, reader: Reader): Promise<Table> {
  const contenders: Contender[] = []
  for (const size of sizes) contenders.push(...(await pairOf(world, reader, size)))
  const about = {
    title: `200 and 304 for a user who ${readers[reader].who}`,
    note: 'The same request without and with `If-None-Match`; nothing has changed.',
    goals: goalsOf(reader),
    summary:
      reader === 'firm' ? [{ of: nameOf(304, 100), operation: `304 for a page of 100, ${reader}` }] : [],
  }
  return compare(about, contenders, world.effort, world.postmaster)
}

/** @throws when the listing has no ETag */
async function pairOf(world: World, reader: Reader, size: number): Promise<Contender[]> {
  const url = `${world.baseUrl}api/v1/households?page_size=${size}`
  const headers = bearer(world.tokens[reader])
  const response = await fetch(url, { headers })
  await response.arrayBuffer()
  const etag = response.headers.get('etag')
  if (etag === null) throw new Error(`no ETag in the response of ${url}`)
  const pids = [world.server]
  return [
    {
      ...{ name: nameOf(200, size), pids },
      load: (seconds) => loadHttp({ url, headers, duration: seconds }),
    },
    {
      ...{ name: nameOf(304, size), pids },
      load: (seconds) =>
        loadHttp({ url, headers: { ...headers, 'if-none-match': etag }, duration: seconds, status: 304 }),
    },
  ]
}
