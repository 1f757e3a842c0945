import { setTimeout } from 'node:timers/promises'
import Type from 'typebox'
import { Parse } from 'typebox/value'
import { type Contender, compare } from '../compare.ts'
import { firm, readers } from '../data.ts'
import { withClient } from '../databases.ts'
import { bearer } from '../journey.ts'
import { type Load, loadHttp } from '../load.ts'
import { quantile } from '../statistics.ts'
import { number, type Table } from '../table.ts'
import type { World } from '../world.ts'

const changesPerSecond = 100
const callsPerSecond = 300

const names = {
  alone: `${callsPerSecond} listing calls a second`,
  beside: `… with ${changesPerSecond} changes a second`,
  changes: `${changesPerSecond} changes a second alone`,
}

/** Changes of the directory, each a request of its own, while partners read the listing. */
export async function directory(world: World): Promise<Table[]> {
  const url = `${world.baseUrl}api/v2/households?limit=100`
  const headers = bearer(world.tokens.firm)
  const listing = (seconds: number) =>
    loadHttp({ url, headers, duration: seconds, overallRate: callsPerSecond })
  const changes = await Changes.start(world)
  const copy = new Copy(world)
  await copy.sync()
  const contenders: Contender[] = [
    { name: names.alone, pids: [world.server], fresh: true, load: listing },
    {
      name: names.beside,
      pids: [world.server],
      load: async (seconds) => {
        const stop = new AbortController()
        const others = [changes.run(stop.signal), copy.keepUp(stop.signal)]
        const load = await listing(seconds).finally(() => stop.abort())
        await Promise.all(others)
        return load
      },
    },
    {
      name: names.changes,
      pids: [world.server],
      load: (seconds) => changes.run(AbortSignal.timeout(seconds * 1000)),
    },
  ]
  const about = {
    title: 'Changes of the directory while partners read',
    note: 'Each change is one request with one row: a household or account that is renamed, added or deleted, or account access. Each page has 100 households of the whole firm. The cost of the second row is that of calls and changes together.',
    goals: [
      {
        goal: 'listing, p99 with changes against p99 without',
        ...{ measure: 'p99' as const, of: names.beside, against: names.alone, limit: { atMost: 2 } },
      },
    ],
  }
  const table = await compare(about, contenders, world.effort, world.postmaster)
  await copy.sync()
  return [table, changes.table(await copy.differences())]
}

/** One row and how it is undone later, so that the directory keeps its size. */
type Change = { rows: object[]; household?: string; name?: string }

class Changes {
  readonly #world: World
  readonly #key: string
  readonly #latencies: number[] = []
  #seconds = 0
  #next = 0
  #checked = 0
  #repeated = 0

  private constructor(world: World, key: string) {
    this.#world = world
    this.#key = key
  }

  static async start(world: World): Promise<Changes> {
    const args = ['--name', 'Bench', '--scope', 'directory:write', '--json']
    const Created = Type.Object({ api_key: Type.String() })
    const created = Parse(Created, JSON.parse(await world.command('api-key', 'create', ...args)))
    return new Changes(world, created.api_key)
  }

  /** Sends changes at a fixed rate, regardless of the answers. */
  async run(signal: AbortSignal): Promise<Load> {
    const [first, started] = [this.#latencies.length, performance.now()]
    const running: Promise<void>[] = []
    for (let count = 0; !signal.aborted; count++) {
      running.push(this.#change(this.#next++))
      await setTimeout(Math.max(0, started + ((count + 1) * 1000) / changesPerSecond - performance.now()))
    }
    await Promise.all(running)
    const elapsed = (performance.now() - started) / 1000
    this.#seconds += elapsed
    const latencies = this.#latencies.slice(first)
    const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)]
    return { calls: latencies.length, elapsed, p50, p99 }
  }

  async #change(index: number): Promise<void> {
    const { rows, household, name } = this.#changeOf(index)
    const begun = performance.now()
    await this.#send(rows.map((row) => JSON.stringify(row)).join('\n'))
    this.#latencies.push(performance.now() - begun)
    if (household === undefined || index % 20 !== 0) return
    const url = `${this.#world.baseUrl}api/v2/households/${household}`
    const read = await fetch(url, { headers: bearer(this.#world.tokens.firm) })
    const seen = Parse(Type.Object({ name: Type.String() }), await read.json())
    if (seen.name !== name) throw new Error(`${household}: the call after the change has ${seen.name}`)
    this.#checked++
  }

  /** Repeats a change that waited for two seconds, as a client does. */
  async #send(body: string): Promise<void> {
    const response = await fetch(`${this.#world.authUrl}/admin/v1/directory/changes`, {
      method: 'POST',
      headers: { ...bearer(this.#key), 'content-type': 'application/x-ndjson' },
      body,
    })
    const text = await response.text()
    if (response.status === 503) {
      this.#repeated++
      return this.#send(body)
    }
    if (response.status !== 200) throw new Error(`${response.status} ${text}`)
  }

  #changeOf(index: number): Change {
    const row = (index * 7919) % this.#world.households
    const [household, account] = [idOf('h', row), idOf('a', row)]
    const user = readers.granted.id
    switch (index % 10) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4: {
        const name = `Renamed ${index}`
        return {
          rows: [{ op: 'upsert', type: 'household', id: household, firm_id: firm, name }],
          household,
          name,
        }
      }
      case 5:
      case 6:
        return {
          rows: [
            {
              ...{ op: 'upsert', type: 'account', id: account, household_id: household },
              ...{ name: `Renamed ${index}`, status: index % 3 === 0 ? 'closed' : 'active' },
            },
          ],
        }
      case 7:
        return { rows: [{ op: 'upsert', type: 'access', user_id: user, account_id: account }] }
      case 8:
        return {
          rows: [
            { op: 'upsert', type: 'household', id: `new-${index}`, firm_id: firm, name: `New ${index}` },
          ],
        }
      default:
        return { rows: [{ op: 'delete', type: 'household', id: `new-${index - 101}` }] }
    }
  }

  table(differences: number): Table {
    const count = this.#latencies.length
    const columns = ['', 'changes', 'changes/s', 'p50 ms', 'p99 ms', '503', 'read back', 'differences']
    const latencies = [quantile(this.#latencies, 0.5), quantile(this.#latencies, 0.99)]
    const figures = [count, count / this.#seconds, ...latencies, this.#repeated, this.#checked, differences]
    return {
      title: 'The changes themselves',
      note: 'One change in twenty is read back with the next call. A partner syncs with `updated_since` once a second, and its copy is compared with the database at the end. 503: repeated after two seconds of waiting.',
      columns,
      rows: [['one row each', ...figures.map(number)]],
    }
  }
}

const Page = Type.Object({
  data: Type.Array(Type.Object({ id: Type.String(), name: Type.Optional(Type.String()) })),
  removed: Type.Optional(Type.Array(Type.String())),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
  receipt: Type.Optional(Type.Object({ as_of: Type.String() })),
})

/** A partner's copy of the households that a user sees. */
class Copy {
  readonly #world: World
  readonly #names = new Map<string, string | undefined>()
  #asOf: string | undefined

  constructor(world: World) {
    this.#world = world
  }

  async keepUp(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.sync()
      await setTimeout(1000, undefined, { signal }).catch(() => {})
    }
  }

  async sync(): Promise<void> {
    let query = new URLSearchParams({ limit: '1000', ...(this.#asOf && { updated_since: this.#asOf }) })
    for (;;) {
      const response = await fetch(`${this.#world.baseUrl}api/v2/households?${query}`, {
        headers: bearer(this.#world.tokens.firm),
      })
      const page = Parse(Page, await response.json())
      for (const { id, name } of page.data) this.#names.set(id, name)
      for (const id of page.removed ?? []) this.#names.delete(id)
      if (page.receipt) this.#asOf = page.receipt.as_of
      if (page.next_cursor === null) return
      query = new URLSearchParams({ cursor: page.next_cursor, limit: '1000' })
    }
  }

  /** The number of households that differ from those in the database. */
  differences(): Promise<number> {
    return withClient(this.#world.databaseUrl, async (client) => {
      const { rows } = await client.query<{ id: string; name: string | null }>(
        'SELECT id, name FROM households WHERE firm_id = $1',
        [firm],
      )
      const wrong = rows.filter(({ id, name }) => this.#names.get(id) !== (name ?? undefined)).length
      return wrong + Math.max(0, this.#names.size - rows.length)
    })
  }
}

function idOf(kind: string, number: number): string {
  return `${kind}${String(number).padStart(9, '0')}`
}
