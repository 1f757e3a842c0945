import { Writable } from 'node:stream'
import { pino } from 'pino'
import type { Config, Environment } from '../../src/config.ts'
import type { Context } from '../../src/context.ts'
import type { Database } from '../../src/database/database.ts'
import { Keyring } from '../../src/keys/keyring.ts'
import { createPartner } from '../../src/partners/partners.ts'
import { expensiveReadLimiter, passwordHashLimiter } from '../../src/process/limiters.ts'
import { Usage } from '../../src/process/usage.ts'
import { deriveKeys } from '../../src/secrets/derived-keys.ts'
import { createServer } from '../../src/server.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { freePort } from './ports.ts'

export { freePort } from './ports.ts'

/** `clientSecret` is empty where the partner has none. */
export type TestPartner = { clientId: string; clientSecret: string; redirectUri: string }

type PartnerOptions = {
  name?: string
  redirectUri?: string
  requirePkce?: boolean
  authMethods?: string[]
  jwks?: object
  idTokenAlg?: string
  postLogoutRedirectUris?: string[]
}

export type TestServer = {
  authUrl: string
  baseUrl: string
  database: Database
  context: Context
  /** Moves the server's clock (never the database's) by so many seconds from now. */
  advanceClock(seconds: number): void
  /** All log lines so far. */
  logs(): string
  partner(options?: PartnerOptions): Promise<TestPartner>
  close(): Promise<void>
}

export type TestServerOptions = {
  environment?: Environment
  secret?: string
  /** Share the database of another test server, as two nodes do. */
  on?: TestDatabase
  /** Listen and speak of itself under this host name (a browser's "site"). */
  host?: 'localhost' | '127.0.0.1'
  authUrl?: string
  /** The tests themselves, at 127.0.0.1, may be the proxy. */
  trustedProxies?: string[]
  v1?: Config['v1']
}

/** A real server on a port of its own, with a database of its own. */
export async function testServer(options: TestServerOptions = {}): Promise<TestServer> {
  const own = options.on ? undefined : await testDatabase()
  const database = options.on?.database ?? own?.database
  if (!database) throw new Error('no database')
  const port = await freePort()
  const authUrl = options.authUrl ?? `http://${options.host ?? '127.0.0.1'}:${port}`
  const secret = options.secret ?? 'a secret for tests only, 32 bytes or more'
  const keys = deriveKeys(secret)
  let ahead = 0
  const now = () => new Date(Date.now() + ahead * 1000)
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const logger = pino({ level: 'trace' }, sink)
  const keyring = new Keyring({ database, sealingKey: keys['signing-key'], now, logger })
  await keyring.refresh()
  const context: Context = {
    config: {
      environment: options.environment ?? 'sandbox',
      authUrl,
      baseUrl: `http://${options.host ?? '127.0.0.1'}:${port}/service-open-api/`,
      host: '127.0.0.1',
      port,
      opsPort: 0,
      dataDir: '',
      secret,
      trustedProxies: options.trustedProxies ?? [],
      ...(options.v1 ? { v1: options.v1 } : {}),
    },
    database,
    keys,
    keyring,
    passwordHashLimiter: passwordHashLimiter(),
    expensiveReadLimiter: expensiveReadLimiter(),
    usage: new Usage(database, logger),
    now,
  }
  const app = await createServer(context, logger)
  await app.listen({ host: '127.0.0.1', port })
  context.usage.start()
  return {
    authUrl,
    baseUrl: context.config.baseUrl,
    database,
    context,
    advanceClock(seconds) {
      ahead += seconds
    },
    logs: () => lines.join(''),
    async partner({
      name = 'Test Partner',
      redirectUri = 'https://partner.example/callback',
      requirePkce = false,
      jwks,
      ...more
    } = {}) {
      const created = await createPartner(database, context.config.environment, {
        name,
        redirectUris: [redirectUri],
        requirePkce,
        jwks: jwks && JSON.stringify(jwks),
        ...more,
      })
      if (created.kind === 'refused') throw new Error(created.faults.join())
      return { clientId: created.clientId, clientSecret: created.clientSecret ?? '', redirectUri }
    },
    async close() {
      await app.close()
      await context.usage.close()
      await own?.drop()
    },
  }
}
