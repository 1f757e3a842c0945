import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import { inject } from 'vitest'
import { originValue, systemOrigin } from '../../src/audit/origin.ts'
import type { Environment } from '../../src/config.ts'
import type { Context } from '../../src/context.ts'
import type { Database } from '../../src/database/database.ts'
import { insertSigningKey } from '../../src/keys/signing-keys.sql.ts'
import { generateSigningKey, type StoredKeyPair, signingAlgorithms } from '../../src/keys/signing-keys.ts'
import type { LimitSettings } from '../../src/limit-settings.ts'
import { mailChannel } from '../../src/mail/mail-channel.ts'
import type { Tracing } from '../../src/metrics/tracing.ts'
import { OutboxWorker } from '../../src/outbox/outbox-worker.ts'
import { createPartner } from '../../src/partners/partners.ts'
import { deriveKeys } from '../../src/secrets/derived-keys.ts'
import { secretKeys } from '../../src/secrets/secret-keys.ts'
import { createServer } from '../../src/server.ts'
import { testDatabase } from './database.ts'
import { movableClock } from './database-clock.ts'
import { checkResponses } from './described-responses.ts'
import { withHooks } from './fastify-hooks.ts'
import { onFreePort } from './ports.ts'
import { type Route, recordRoutes } from './routes.ts'
import { ServerClock } from './server-clock.ts'
import { type TestServerOptions, testConfig } from './server-config.ts'
import { openContext } from './server-context.ts'

/** `clientSecret` is empty if the partner has none. */
export type TestPartner = { clientId: string; clientSecret: string; redirectUri: string }

type PartnerOptions = {
  name?: string
  redirectUri?: string
  requirePkce?: boolean
  authMethods?: string[]
  jwks?: object
  idTokenAlg?: string
  idTokenOnRefresh?: boolean
  postLogoutRedirectUris?: string[]
  limits?: LimitSettings
  requireAcr?: string
  grantLifetimeDays?: number
  logo?: Buffer
  site?: string
  privacyUrl?: string
  description?: string
}

export type TestServer = {
  authUrl: string
  baseUrl: string
  database: Database
  context: Context
  routes: Route[]
  /** Moves the server's clock forward by so many seconds. The database's clock does not move. */
  advanceClock(seconds: number): void
  /** Moves the server's clock and the database's, which must be movable. Also applies to other servers on the database. */
  passTime(seconds: number): Promise<void>
  /** Stops the server's clock. From now on only `advanceClock` moves it, regardless of how long the test takes. */
  stopClock(): void
  /** All log lines so far. */
  logs(): string
  /** Sends the mails that are due, up to four. A test server does not do so by itself. */
  sendMails(): Promise<void>
  partner(options?: PartnerOptions): Promise<TestPartner>
  close(): Promise<void>
}

export const testSecret = 'a secret for tests only, 32 bytes or more'

/** The keys of a server with the shared test secret. */
export const testKeys = (environment: Environment) => secretKeys({ secret: testSecret, environment })

/** A real server with its own port and its own database. */
export async function testServer(given: TestServerOptions = {}): Promise<TestServer> {
  const options = { secret: testSecret, ...given }
  const own = options.on ? undefined : await testDatabase()
  const database = options.on?.database ?? own?.database
  if (!database) throw new Error('no database')
  const databaseClock = options.clock === true ? own && (await movableClock(own)) : options.clock // before the first connection
  if (options.secret === testSecret && !options.previousSecret) await lendSigningKeys(database)
  const clock = new ServerClock(databaseClock)
  const { logger, text } = collectedLog()
  const { app, routes, opened } = await onFreePort(async (port) => {
    const config = testConfig(options, port)
    const opened = await openContext({
      ...{ config, database, logger, now: () => clock.now(), tracing: options.tracing },
    })
    const { app, routes } = await openApp(opened.context, logger, options.tracing)
    await app.listen({ host: '127.0.0.1', port })
    return { app, routes, opened }
  })
  const { context, rehashing, counters } = opened
  for (const counter of counters) counter.start()
  return {
    ...{ authUrl: context.config.authUrl, baseUrl: context.config.baseUrl, database, context, routes },
    advanceClock: (seconds) => clock.advance(seconds),
    passTime: (seconds) => clock.passTime(seconds),
    stopClock: () => clock.stop(),
    logs: text,
    sendMails: () => sendMails(context, logger),
    partner: (settings) => newPartner(context, settings),
    async close() {
      await app.close()
      await rehashing.stop()
      for (const counter of counters) await counter.stop()
      await own?.drop()
    },
  }
}

function collectedLog(): { logger: Logger; text: () => string } {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  return { logger: pino({ level: 'trace' }, sink), text: () => lines.join('') }
}

async function openApp(
  context: Context,
  logger: Logger,
  tracing: Tracing | undefined,
): Promise<{ app: FastifyInstance; routes: Route[] }> {
  let routes: Route[] = []
  const addHooks = (app: FastifyInstance) => {
    checkResponses(app, new URL(context.config.baseUrl).pathname)
    routes = recordRoutes(app)
  }
  const app = await withHooks(addHooks, () => createServer(context, logger, tracing))
  return { app, routes }
}

async function sendMails({ config, database, keys }: Context, logger: Logger): Promise<void> {
  const { mail: settings, authUrl, brand } = config
  if (!settings) throw new Error('the server sends no mails')
  const worker = new OutboxWorker({
    database,
    logger,
    channel: mailChannel({ settings, keys, authUrl, brand }),
  })
  await worker.wake()
  await worker.stop()
}

async function newPartner(
  { config, database }: Context,
  {
    name = 'Test Partner',
    redirectUri = 'https://partner.example/callback',
    requirePkce = false,
    jwks,
    ...more
  }: PartnerOptions = {},
): Promise<TestPartner> {
  const created = await createPartner(database, systemOrigin, config.environment, {
    name,
    redirectUris: [redirectUri],
    requirePkce,
    jwks: jwks && JSON.stringify(jwks),
    ...more,
  })
  if (created.kind === 'refused') throw new Error(created.faults.join())
  return { clientId: created.clientId, clientSecret: created.clientSecret ?? '', redirectUri }
}

/** Inserts the run's signing keys into a database without keys. Generating an RSA key would slow down each server's start. */
async function lendSigningKeys(database: Database): Promise<void> {
  for (const [place, algorithm] of signingAlgorithms.entries()) {
    const key = inject('signingKeys')[place]
    if (!key) throw new Error(`there is no ${algorithm} key`)
    const origin = originValue(systemOrigin)
    const values = [key.kid, algorithm, 1, key.publicJwk, key.sealedPrivateJwk, origin]
    await database.maybe(insertSigningKey, values)
  }
}

/** The global setup generates these keys for `lendSigningKeys`. */
export function makeSigningKeys(): Promise<StoredKeyPair[]> {
  const sealingKey = deriveKeys(testSecret, 'sandbox')['signing-key']
  return Promise.all(signingAlgorithms.map((algorithm) => generateSigningKey(algorithm, sealingKey)))
}
