import { compare } from '../compare.ts'
import { firm, type Role, users } from '../data.ts'
import { loadHttp } from '../load.ts'
import { startBareSql, startStaticRoute } from '../peers/peer.ts'
import type { Table } from '../table.ts'
import type { World } from '../world.ts'

/** What it takes to read the same page when nobody has to be asked who may. */
const bareSql: Record<Role, { name: string; text: string; values: string[] }> = {
  firm: {
    name: 'firm',
    text: 'SELECT id, name FROM households WHERE firm_id = $1 ORDER BY id LIMIT 100',
    values: [firm],
  },
  granted: {
    name: 'granted',
    text: `SELECT id, name FROM households
            WHERE firm_id = $1 AND id IN (SELECT household_id FROM account_access x JOIN accounts a ON a.id = x.account_id
                                           WHERE x.user_id = $2)
            ORDER BY id LIMIT 100`,
    values: [firm, users.granted],
  },
}

export async function page(world: World): Promise<Table[]> {
  return [await pageOf(world, 'firm'), await pageOf(world, 'granted')]
}

async function pageOf(world: World, role: Role): Promise<Table> {
  const url = `${world.baseUrl}api/v1/households?page_size=100`
  const headers = { authorization: `Bearer ${world.tokens[role]}` }
  const bare = startBareSql(world.databaseUrl)
  const still = await startStaticRoute(await (await fetch(url, { headers })).text())
  try {
    return await compare(
      {
        title: `A page of 100 for a role that sees \`${role}\``,
        note:
          'The rows through `pg` with nothing else are the limit for one page, and no HTTP; ' +
          'a Fastify route that answers the same bytes is the limit for HTTP, and no database.',
      },
      [
        {
          name: 'bare SQL through pg',
          pid: bare.pid,
          load: (seconds) => bare.load(bareSql[role], seconds),
        },
        { name: 'static Fastify route', pid: still.pid, load: still.load },
        {
          name: 'Latchkey',
          pid: world.server,
          load: (seconds) => loadHttp({ url, headers, duration: seconds }),
        },
      ],
      world.effort,
      world.postmaster,
    )
  } finally {
    bare.stop()
    still.stop()
  }
}
