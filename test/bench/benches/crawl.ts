import { plannedFor } from '../bare-statements.ts'
import { type Contender, compare, type Goal } from '../compare.ts'
import { type Reader, readers } from '../data.ts'
import { bearer, nextOf } from '../journey.ts'
import { repeat } from '../load.ts'
import { startBareSql } from '../peers/peer.ts'
import { number, type Table } from '../table.ts'
import type { World } from '../world.ts'

/** The crawl stops here if a user sees more. */
const most = 100_000
const size = 1000

const names = { select: 'one SELECT, row by row', crawl: 'crawl by Link' }

type Crawler = Extract<Reader, 'firm' | 'broad'>

const goalsOf = (reader: Crawler): Goal[] => [
  {
    goal: `crawl, ${reader}: time against one SELECT`,
    ...{ measure: 'p50', of: names.crawl, against: names.select, limit: { atMost: 1.5 } },
  },
  {
    goal: `crawl, ${reader}: CPU against one SELECT`,
    ...{ measure: 'cpu', of: names.crawl, against: names.select, limit: { atMost: 1.5 } },
  },
]

export async function crawl(world: World): Promise<Table[]> {
  return [await crawlAs(world, 'firm'), await crawlAs(world, 'broad')]
}

async function crawlAs(world: World, reader: Crawler): Promise<Table> {
  const bare = startBareSql(world.databaseUrl)
  const visible = Math.min(most, reader === 'firm' ? world.households : Math.ceil(world.households / 2))
  const read = async () => {
    const households = await crawlOnce(world.baseUrl, world.tokens[reader])
    if (households !== visible) throw new Error(`the crawl found ${households} of ${visible} households`)
  }
  const about = {
    title: `A crawl of ${number(visible)} households by a user who ${readers[reader].who}`,
    note:
      `Pages of ${number(size)}, one after the other by \`Link\`, against one streaming \`SELECT\` of the same rows, both uncompressed. ` +
      "A call is a whole crawl. The CPU of the statement includes its client's; the time of both includes parsing the rows into objects.",
    goals: goalsOf(reader),
    summary:
      reader === 'firm'
        ? [{ of: names.crawl, operation: `whole crawl, pages of ${number(size)}, ${reader}` }]
        : [],
  }
  const contenders: Contender[] = [
    {
      ...{ name: names.select, pids: [bare.pid], fresh: true },
      load: (seconds) => bare.load({ as: 'stream', statement: plannedFor(reader, most), seconds }),
    },
    { name: names.crawl, pids: [world.server], load: (seconds) => repeat(seconds, 1, read) },
  ]
  try {
    return await compare(about, contenders, world.effort, world.postmaster)
  } finally {
    bare.stop()
  }
}

/** @returns how many households were read */
async function crawlOnce(baseUrl: string, token: string): Promise<number> {
  let households = 0
  let next: string | undefined = `${baseUrl}api/v1/households?page_size=${size}`
  while (next && households < most) {
    const response: Response = await fetch(next, {
      headers: { ...bearer(token), 'accept-encoding': 'identity' },
    })
    const body: unknown = await response.json()
    if (!Array.isArray(body)) throw new Error(`${response.status} from ${next}`)
    households += body.length
    next = nextOf(response.headers)
  }
  return households
}
