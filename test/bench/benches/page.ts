import pg from 'pg'
import Type from 'typebox'
import { Parse } from 'typebox/value'
import { householdsOf, plannedFor } from '../bare-statements.ts'
import { type Contender, compare, type Goal } from '../compare.ts'
import { type Reader, readerNames, readers } from '../data.ts'
import { idle } from '../idle.ts'
import { bearer, redeem } from '../journey.ts'
import { loadHttp } from '../load.ts'
import type { Statement } from '../peers/bare-sql.ts'
import { startBareSql, startStatementRoute, startStaticRoute } from '../peers/peer.ts'
import { type Stack, stackName, startStack } from '../peers/stack.ts'
import type { Table } from '../table.ts'
import type { World } from '../world.ts'

export const names = {
  bare: 'bare SQL through pg',
  planned: 'bare SQL, planned for this user',
  still: 'static Fastify route',
  statement: 'Fastify route, same statement',
  latchkey: 'Latchkey',
}

/** Times the cost of the rows through `pg`. */
const mostCost = { firm: 1.25, granted: 1.1, broad: 1.1 }

const goals = (reader: Reader): Goal[] => [
  {
    goal: `page, ${reader}: CPU of a call against that of its rows through pg`,
    ...{ measure: 'cpu', of: names.latchkey, against: names.bare, limit: { atMost: mostCost[reader] } },
  },
  {
    goal: `page, ${reader}: calls/s against ${stackName}`,
    ...{ measure: 'rate', of: names.latchkey, against: stackName, limit: { atLeast: 3 } },
  },
]

export async function page(world: World): Promise<Table[]> {
  const stack = await startStack(world)
  try {
    const tables: Table[] = []
    for (const reader of readerNames) tables.push(await pageOf(world, stack, reader))
    return tables
  } finally {
    stack.stop()
  }
}

async function pageOf(world: World, stack: Stack, reader: Reader): Promise<Table> {
  const url = `${world.baseUrl}api/v1/households?page_size=100`
  const headers = bearer(world.tokens[reader])
  const body = await (await fetch(url, { headers })).text()
  const peer = { url: `${stack.listing.url}?page_size=100`, headers: bearer(await tokenOf(stack, reader)) }
  await checkSameHouseholds(body, peer)
  const bare = startBareSql(world.databaseUrl)
  const still = await startStaticRoute(body)
  const role = reader === 'firm' ? 'firm' : 'granted'
  const token = await tokenForStatement(world, reader)
  const same = await startStatementRoute({ databaseUrl: world.databaseUrl, role, token })
  await checkSameHouseholds(body, { url: same.url, headers })
  const about = {
    title: `A page of 100 for a user who ${readers[reader].who}`,
    note:
      'Bare SQL is the lower limit of the database part, without HTTP. ' +
      (reader === 'firm'
        ? ''
        : 'An application has one statement for all users; planned for this user alone it can cost less. ') +
      'The static route, which returns the same bytes, is the lower limit of the HTTP part, without a database. ' +
      'The route with the same statement authenticates in it as Latchkey does, and has no limits, logs, links or ETags. ' +
      'The other stack introspects the token at each call, because a revoked token must not work at the next call.',
    goals: goals(reader),
    summary: [{ of: names.latchkey, operation: `page of 100, ${reader}` }],
  }
  const fresh = true
  const bareSql = (name: string, statement: Statement): Contender => ({
    ...{ name, pids: [bare.pid], fresh },
    load: (seconds) => bare.load({ as: 'page', statement, seconds }),
  })
  const contenders: Contender[] = [
    bareSql(names.bare, householdsOf(reader, 100)),
    ...(reader === 'firm' ? [] : [bareSql(names.planned, plannedFor(reader, 100))]),
    { name: names.still, pids: [still.pid], fresh, load: still.load },
    {
      ...{ name: names.statement, pids: [same.pid], fresh },
      load: (seconds) => loadHttp({ url: same.url, duration: seconds }),
    },
    {
      ...{ name: stackName, pids: [stack.listing.pid, stack.provider.pid], fresh },
      load: (seconds) => loadHttp({ ...peer, duration: seconds }),
    },
    {
      ...{ name: names.latchkey, pids: [world.server], fresh },
      load: (seconds) => loadHttp({ url, headers, duration: seconds }),
    },
  ]
  try {
    const prepare = () => idle(world.databaseUrl)
    const prepared = contenders.map((contender) => ({ ...contender, prepare }))
    return await compare(about, prepared, world.effort, world.postmaster)
  } finally {
    bare.stop()
    still.stop()
    same.stop()
  }
}

const Issued = Type.Object({ locator: Type.String(), nonce: Type.String(), expires: Type.String() })

/** The user's access token as Latchkey's statements take it. Only its SHA-256 is in the database, which is all they need. */
async function tokenForStatement({ databaseUrl }: World, reader: Reader): Promise<string> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    const { rows } = await client.query(
      `SELECT encode(access_locator_hash, 'hex') AS locator, encode(access_nonce, 'hex') AS nonce,
              (access_nonce_at + interval '1 hour')::text AS expires
         FROM connections c JOIN grants g ON g.id = c.grant_id
        WHERE g.user_id = $1 AND c.revoked_at IS NULL ORDER BY access_nonce_at DESC LIMIT 1`,
      [readers[reader].id],
    )
    const { locator, nonce, expires } = Parse(Issued, rows[0])
    return `("\\\\x${locator}","\\\\x${nonce}","${expires}")`
  } finally {
    await client.end()
  }
}

async function tokenOf({ provider, partner, newCodes }: Stack, reader: Reader): Promise<string> {
  const [code = ''] = await newCodes(readers[reader].id, 1)
  return (await redeem(provider.addresses, partner, code)).access_token
}

/** Both must return the same households, otherwise the comparison is not fair. */
async function checkSameHouseholds(
  body: string,
  peer: { url: string; headers: { authorization: string } },
): Promise<void> {
  const theirs = await (await fetch(peer.url, { headers: peer.headers })).json()
  if (JSON.stringify(theirs) !== JSON.stringify(JSON.parse(body)))
    throw new Error(`${peer.url} returns other households`)
}
