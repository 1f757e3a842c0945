import { accountsOf } from '../bare-statements.ts'
import { type Contender, compare, type Goal } from '../compare.ts'
import { type Reader, readers } from '../data.ts'
import { bearer } from '../journey.ts'
import { loadHttp } from '../load.ts'
import { startBareSql } from '../peers/peer.ts'
import type { Table } from '../table.ts'
import type { World } from '../world.ts'

const size = 1000

/** The other user has access to a few hundred accounts, which is less than a page. */
type FullPage = Extract<Reader, 'firm' | 'broad'>

const names = { bare: 'bare SQL through pg', latchkey: 'Latchkey' }

const goalOf = (reader: FullPage): Goal => ({
  goal: `accounts, ${reader}: CPU of a page of 1,000 against that of its rows through pg`,
  ...{ measure: 'cpu', of: names.latchkey, against: names.bare, limit: { atMost: 1.5 } },
})

export async function accounts(world: World): Promise<Table[]> {
  return [await accountsAs(world, 'firm'), await accountsAs(world, 'broad')]
}

async function accountsAs(world: World, reader: FullPage): Promise<Table> {
  const url = `${world.baseUrl}api/v2/accounts?limit=${size}`
  const headers = bearer(world.tokens[reader])
  const response = await fetch(url, { headers })
  if (response.status !== 200) throw new Error(`${response.status} from ${url}`)
  await response.arrayBuffer()
  const bare = startBareSql(world.databaseUrl)
  const about = {
    title: `A page of 1,000 accounts for a user who ${readers[reader].who}`,
    note: 'Of all households, in the order of `/api/v2/accounts`. Bare SQL is the same rows without authentication and HTTP.',
    goals: [goalOf(reader)],
    summary: [{ of: names.latchkey, operation: `page of 1,000 accounts, ${reader}` }],
  }
  const contenders: Contender[] = [
    {
      ...{ name: names.bare, pids: [bare.pid], fresh: true },
      load: (seconds) => bare.load({ as: 'page', statement: accountsOf(reader, size), seconds }),
    },
    {
      ...{ name: names.latchkey, pids: [world.server], fresh: true },
      load: (seconds) => loadHttp({ url, headers, duration: seconds }),
    },
  ]
  try {
    return await compare(about, contenders, world.effort, world.postmaster)
  } finally {
    bare.stop()
  }
}
