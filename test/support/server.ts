import { Writable } from 'node:stream'
import { pino } from 'pino'
import { inject } from 'vitest'
import { FailedLogins } from '../../src/audit/failed-logins.ts'
import { originValue, systemOrigin } from '../../src/audit/origin.ts'
import type { Brand } from '../../src/brand/brand.ts'
import { defaultBrand } from '../../src/brand/read-brand.ts'
import type { Config, Environment } from '../../src/config.ts'
import type { Context } from '../../src/context.ts'
import type { Database } from '../../src/database/database.ts'
import { Keyring } from '../../src/keys/keyring.ts'
import { recordedSecretKeys } from '../../src/keys/recorded-secrets.ts'
import { insertSigningKey } from '../../src/keys/signing-keys.sql.ts'
import { generateSigningKey, type StoredKeyPair, signingAlgorithms } from '../../src/keys/signing-keys.ts'
import type { LimitSettings } from '../../src/limit-settings.ts'
import { Limits } from '../../src/limits/limits.ts'
import { Rehashing } from '../../src/login/rehashing.ts'
import { mailChannel } from '../../src/mail/mail-channel.ts'
import type { MailSettings } from '../../src/mail-settings.ts'
import { deploymentFacts } from '../../src/metrics/deployment.ts'
import { Metrics } from '../../src/metrics/metrics.ts'
import type { Tracing } from '../../src/metrics/tracing.ts'
import { OutboxWorker } from '../../src/outbox/outbox-worker.ts'
import { createPartner } from '../../src/partners/partners.ts'
import {
  developerReadLimiter,
  expensiveReadLimiter,
  passwordHashLimiter,
} from '../../src/process/limiters.ts'
import { OneAtATime } from '../../src/process/one-at-a-time.ts'
import { Usage } from '../../src/process/usage.ts'
import { ReadLog } from '../../src/read-log/read-log.ts'
import { CallHourCounts } from '../../src/request-log/call-hours.ts'
import { RequestLog } from '../../src/request-log/request-log.ts'
import { sandboxFor } from '../../src/sandbox/sandbox.ts'
import type { Secrets } from '../../src/secrets/configured-secrets.ts'
import { deriveKeys } from '../../src/secrets/derived-keys.ts'
import { secretKeys } from '../../src/secrets/secret-keys.ts'
import { createServer } from '../../src/server.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { type MovableClock, movableClock } from './database-clock.ts'
import { checkingResponses } from './described-responses.ts'
import { seededCost } from './directory.ts'
import { onFreePort } from './ports.ts'

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

export type TestServerOptions = {
  environment?: Environment
  secret?: string
  /** Accepted besides `secret`. */
  nextSecret?: string
  previousSecret?: string
  /** Shares the database of another test server, as two nodes do. */
  on?: TestDatabase
  /** `true` for a database of its own: the clock of its database can be moved. */
  clock?: MovableClock | true
  /** The host name in the server's addresses (a browser's "site"). */
  host?: 'localhost' | '127.0.0.1'
  authUrl?: string
  baseUrl?: string
  /** Proxies whose headers the server trusts. The tests themselves connect from 127.0.0.1. */
  trustedProxies?: string[]
  /** Only these may use the console and the admin API. By default all. */
  adminNetworks?: string[]
  v1?: Config['v1']
  /** Defaults for all partners. A server learns the limits of a partner only by `context.limits.refresh`. */
  limits?: LimitSettings
  failuresPerMinute?: number
  grantLifetimeDays?: number
  /** Sends mails, to a mail server that the test has started. */
  mail?: MailSettings
  brand?: Brand
  tracing?: Tracing
  secretScanningKeysUrl?: string
  /** Hosts and networks to which webhooks go although they are not public. */
  webhookAllow?: string[]
  goingLive?: Partial<Config['goingLive']>
}

export const testSecret = 'a secret for tests only, 32 bytes or more'

/** The keys of a server with the shared test secret. */
export const testKeys = (environment: Environment) => secretKeys({ secret: testSecret, environment })

/** A real server with its own port and its own database. */
export async function testServer(options: TestServerOptions = {}): Promise<TestServer> {
  const own = options.on ? undefined : await testDatabase()
  const database = options.on?.database ?? own?.database
  const clock = options.clock === true && own ? await movableClock(own) : options.clock // before the first connection
  if (!database) throw new Error('no database')
  const { environment = 'sandbox', secret = testSecret, nextSecret, previousSecret } = options
  const secrets = { secret, ...(nextSecret && { nextSecret }), ...(previousSecret && { previousSecret }) }
  if (secret === testSecret && !previousSecret) await lendSigningKeys(database)
  let ahead = 0
  let stoppedAt: number | undefined
  const now = () => {
    const moved = clock && clock !== true ? clock.ahead : 0
    return new Date((stoppedAt ?? Date.now()) + (ahead + moved) * 1000)
  }
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const logger = pino({ level: 'trace' }, sink)
  const keyring = new Keyring({ database, keys: secretKeys({ ...secrets, environment }), now, logger })
  await keyring.refresh()
  const counters = {
    usage: new Usage(database, logger),
    readLog: new ReadLog(database, logger),
    failedLogins: new FailedLogins(database, logger, now),
    requestLog: new RequestLog(database, logger),
    callHours: new CallHourCounts(database, logger, now),
  }
  const limiters = {
    passwordHashLimiter: passwordHashLimiter(),
    expensiveReadLimiter: expensiveReadLimiter(),
    developerReadLimiter: developerReadLimiter(),
    slowWebhookWork: new OneAtATime(),
  }
  // The cost of seeded passwords: they are not replaced at the first login.
  const rehashing = new Rehashing(database, limiters.passwordHashLimiter, logger, seededCost)
  const { app, context } = await onFreePort(async (port) => {
    const config = configFor(options, secrets, port)
    const keys = await recordedSecretKeys(database, config, now())
    const limits = new Limits({ database, config, now, logger })
    await limits.refresh()
    const sandbox = sandboxFor(config.environment, database, now)
    const metrics = testMetrics(config, database)
    database.observe(metrics.databaseObserver(options.tracing?.observeStatement))
    const context: Context = {
      config,
      database,
      keys,
      keyring,
      ...limiters,
      rehashing,
      limits,
      ...counters,
      metrics,
      now,
      ...(sandbox && { sandbox }),
    }
    const basePath = new URL(config.baseUrl).pathname
    const app = await checkingResponses(basePath, () => createServer(context, logger, options.tracing))
    await app.listen({ host: '127.0.0.1', port })
    return { app, context }
  })
  for (const counter of Object.values(counters)) counter.start()
  const { mail: settings, authUrl, brand } = context.config
  const channel = settings && mailChannel({ settings, keys: context.keys, authUrl, brand })
  return {
    authUrl: context.config.authUrl,
    baseUrl: context.config.baseUrl,
    database,
    context,
    advanceClock(seconds) {
      ahead += seconds
    },
    async passTime(seconds) {
      if (!clock || clock === true) throw new Error('the clock of this database cannot be moved')
      await clock.advance(seconds)
    },
    stopClock() {
      stoppedAt = Date.now()
    },
    logs: () => lines.join(''),
    async sendMails() {
      if (!channel) throw new Error('the server sends no mails')
      const mails = new OutboxWorker({ database, logger, channel })
      await mails.wake()
      await mails.stop()
    },
    async partner({
      name = 'Test Partner',
      redirectUri = 'https://partner.example/callback',
      requirePkce = false,
      jwks,
      ...more
    } = {}) {
      const created = await createPartner(database, systemOrigin, context.config.environment, {
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
      await rehashing.stop()
      for (const counter of Object.values(counters)) await counter.stop()
      await own?.drop()
    },
  }
}

function testMetrics({ environment }: Config, database: Database): Metrics {
  return new Metrics({
    environment,
    version: 'test',
    pools: () => database.poolStates(),
    passwordHashes: () => 0,
    expensiveReads: () => 0,
    deployment: () => deploymentFacts(database),
  })
}

function configFor(
  options: TestServerOptions,
  secrets: Omit<Secrets, 'secretInDataDir'>,
  port: number,
): Config {
  const { environment = 'sandbox', host = '127.0.0.1', trustedProxies = [], v1 } = options
  const { limits = {}, failuresPerMinute, grantLifetimeDays, brand = defaultBrand(), mail } = options
  return {
    environment,
    authUrl: options.authUrl ?? `http://${host}:${port}`,
    publicUrl: options.authUrl ?? `http://${host}:${port}`,
    baseUrl: options.baseUrl ?? `http://${host}:${port}/service-open-api/`,
    host: '127.0.0.1',
    port,
    opsHost: '127.0.0.1',
    opsPort: 0,
    admin: { url: options.authUrl ?? `http://${host}:${port}`, networks: options.adminNetworks ?? [] },
    dataDir: '',
    ...secrets,
    secretInDataDir: false,
    trustedProxies,
    ...(v1 && { v1 }),
    limits,
    failuresPerMinute,
    readLogMonths: 13,
    auditMonths: 0,
    requestLogDays: 7,
    ...(grantLifetimeDays && { grantLifetimeDays }),
    ...(mail && { mail }),
    ...(options.secretScanningKeysUrl && { secretScanningKeysUrl: options.secretScanningKeysUrl }),
    webhookAllow: options.webhookAllow ?? [],
    goingLive: { sandboxKeys: [], ...options.goingLive },
    brand,
  }
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
