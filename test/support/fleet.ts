import { setTimeout as sleep } from 'node:timers/promises'
import type { TestDatabase } from './database.ts'
import type { Addresses } from './journey.ts'
import { type TestServer, testServer } from './server.ts'

/** The secrets of one server. */
export type Secrets = { secret: string; nextSecret?: string; previousSecret?: string }

/** Sends one request to one of the servers. */
export type Send = <T>(work: (addresses: Addresses) => Promise<T>) => Promise<T>

/** Two servers on one database and behind one public address, as behind a load balancer that follows restarts. */
export class Fleet {
  readonly #database: TestDatabase
  readonly #servers: { server: TestServer; requests: number; accepting: boolean }[] = []
  #turn = 0

  private constructor(database: TestDatabase) {
    this.#database = database
  }

  static async start(database: TestDatabase, secrets: Secrets): Promise<Fleet> {
    const fleet = new Fleet(database)
    for (const place of [0, 1]) await fleet.#start(place, secrets)
    return fleet
  }

  /** Where a client reaches this server itself. The addresses in its answers are those of the load balancer. */
  static reach(server: TestServer): Addresses {
    const origin = `http://127.0.0.1:${server.context.config.port}`
    return { authUrl: origin, baseUrl: `${origin}/service-open-api/` }
  }

  get servers(): TestServer[] {
    return this.#servers.map(({ server }) => server)
  }

  /** Runs one request on the next server in turn. */
  readonly next: Send = async (work) => {
    const accepting = this.#servers.filter((one) => one.accepting)
    const chosen = accepting[this.#turn++ % accepting.length]
    if (!chosen) throw new Error('no server accepts requests')
    chosen.requests++
    try {
      return await work(Fleet.reach(chosen.server))
    } finally {
      chosen.requests--
    }
  }

  /** Runs requests on each server. */
  get each(): Send[] {
    return this.servers.map((server) => (work) => work(Fleet.reach(server)))
  }

  /** Restarts one server with these secrets. Meanwhile the other one answers. */
  async restart(place: 0 | 1, secrets: Secrets): Promise<void> {
    const old = this.#servers[place]
    if (!old) throw new Error('no server to restart')
    old.accepting = false
    while (old.requests > 0) await sleep(5)
    await old.server.close()
    await this.#start(place, secrets)
  }

  async close(): Promise<void> {
    for (const { server } of this.#servers) await server.close()
  }

  async #start(place: number, secrets: Secrets): Promise<void> {
    const server = await testServer({
      on: this.#database,
      authUrl: 'http://login.example',
      baseUrl: 'http://api.example/service-open-api/',
      ...secrets,
    })
    this.#servers[place] = { server, requests: 0, accepting: true }
  }
}
