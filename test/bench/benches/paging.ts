import type { Request } from 'autocannon'
import { type Contender, compare, type Goal } from '../compare.ts'
import { type Reader, readerNames, readers, searched } from '../data.ts'
import { idle } from '../idle.ts'
import { bearer, nextOf } from '../journey.ts'
import { connections, loadHttp } from '../load.ts'
import { number, type Table } from '../table.ts'
import type { World } from '../world.ts'

const deepest = 5000
const largestSize = 100

/** A reader with few households gets smaller pages, so that there are enough of them. */
const fewestPages = 30

const names = {
  first: 'first page',
  linked: 'deep page, by Link',
  counted: 'deep pages, counted in sequence',
  alternating: 'every second deep page in sequence',
  backwards: 'deep pages, counted backwards',
}

type Name = keyof typeof names

const goalsOf = (what: string, limits: [of: Name, atMost: number][]): Goal[] =>
  limits.map(([name, atMost]) => ({
    goal: `${what}: CPU of ${names[name]} against the first`,
    ...{ measure: 'cpu', of: names[name], against: names.first, limit: { atMost } },
  }))

export async function paging(world: World): Promise<Table[]> {
  const tables: Table[] = []
  for (const reader of readerNames) {
    tables.push(await pagesOf(world, reader))
    tables.push(await pagesOf(world, reader, searched.common))
  }
  return tables
}

async function pagesOf(world: World, reader: Reader, pattern?: string): Promise<Table> {
  const headers = bearer(world.tokens[reader])
  const search = pattern ? `&name_pattern=${pattern}` : ''
  const addressOf = (size: number) => (page: number) =>
    `${world.baseUrl}api/v1/households?page=${page}&page_size=${size}${search}`
  const size = Math.max(
    1,
    Math.min(largestSize, Math.floor((await count(addressOf(1), headers)) / fewestPages)),
  )
  const address = addressOf(size)
  const last = Math.min(deepest, (await count(addressOf(size), headers, size)) - 1)
  const common = { pids: [world.server], headers, databaseUrl: world.databaseUrl }
  const url = (name: string, url: string): Contender => ({
    ...{ name, pids: common.pids, prepare: () => idle(world.databaseUrl) },
    load: (seconds) => loadHttp({ url, headers, duration: seconds }),
  })
  const linked = await linkTo(address, last, headers)
  const counting = { ...common, address, last }
  const contenders = [
    url(names.first, address(0)),
    ...(linked ? [url(names.linked, linked)] : []),
    counted({ ...counting, name: names.counted, step: 1 }),
    ...(pattern
      ? []
      : [
          counted({ ...counting, name: names.alternating, step: 2 }),
          counted({ ...counting, name: names.backwards, step: -1 }),
        ]),
  ]
  const who = `a user who ${readers[reader].who}`
  const about = {
    title: `Pages of ${size} up to page ${number(last)}${pattern ? `, names with "${pattern}"` : ''}, for ${who}`,
    note:
      'Ten clients count pages in sequence, in the last tenth of the pages. ' +
      (pattern
        ? 'A search begins where the page before it ended, too.'
        : 'Every second page is what each of two servers gets if a client alternates between them. ' +
          'Backwards, no page follows one that was read: each is out of the blue.'),
    goals: pattern
      ? goalsOf(`search, ${reader}`, [['counted', 1.5]])
      : goalsOf(`paging, ${reader}`, [
          ['linked', 1.2],
          ['counted', 1.3],
          ['alternating', 5],
          ['backwards', 5],
        ]),
    summary:
      reader === 'granted'
        ? []
        : contenders.slice(1).map(({ name: of }) => ({
            of,
            operation: `${pattern ? 'search, ' : ''}${of}, ${reader}`,
          })),
  }
  return compare(about, contenders, world.effort, world.postmaster)
}

type Counting = {
  name: string
  pids: number[]
  headers: Record<string, string>
  databaseUrl: string
  address: (page: number) => string
  last: number
  /** 1: each page. 2: every second one. -1: backwards. */
  step: number
}

/**
 * Each connection is a client that counts pages, within a part of its own of the last tenth. Each begins with a page that is
 * read before the round. After the last page a client begins at the first page of the listing, as clients do.
 */
function counted({ name, pids, headers, databaseUrl, address, last, step }: Counting): Contender {
  const from = (client: number) => Math.floor(last * (0.9 + (0.1 * client) / connections))
  return {
    ...{ name, pids },
    prepare: async () => {
      for (let client = 0; client < connections; client++) await fetch(address(from(client)), { headers })
      await idle(databaseUrl)
    },
    load(seconds) {
      let taken = 0
      return loadHttp({
        ...{ url: address(0), headers, duration: seconds },
        setupClient(client) {
          let page = from(taken++)
          const setupRequest = (request: Request): Request => {
            page = page + step > last || page + step < 0 ? 0 : page + step
            const { pathname, search } = new URL(address(page))
            return { ...request, path: `${pathname}${search}` }
          }
          client.setRequests([{ method: 'GET', headers, setupRequest }])
        },
      })
    },
  }
}

/** The number of pages with at least `full` entries, up to one more than the deepest: by bisection. */
async function count(
  address: (page: number) => string,
  headers: Record<string, string>,
  full = 1,
): Promise<number> {
  let [least, most] = [0, deepest + 1]
  while (least < most) {
    const page = Math.floor((least + most) / 2)
    const body: unknown = await (await fetch(address(page), { headers })).json()
    if (Array.isArray(body) && body.length >= full) least = page + 1
    else most = page
  }
  return least
}

/** The address of a page as the page before it links to it. */
async function linkTo(
  address: (page: number) => string,
  page: number,
  headers: Record<string, string>,
): Promise<string | undefined> {
  const response = await fetch(address(page - 1), { headers })
  await response.text()
  return nextOf(response.headers)
}
