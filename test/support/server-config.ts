import type { Brand } from '../../src/brand/brand.ts'
import { defaultBrand } from '../../src/brand/read-brand.ts'
import type { Config, Environment } from '../../src/config.ts'
import type { LimitSettings } from '../../src/limit-settings.ts'
import type { MailSettings } from '../../src/mail-settings.ts'
import type { Tracing } from '../../src/metrics/tracing.ts'
import type { TestDatabase } from './database.ts'
import type { MovableClock } from './database-clock.ts'

export type TestServerOptions = {
  environment?: Environment
  secret?: string
  /** Accepted in addition to `secret`. */
  nextSecret?: string
  previousSecret?: string
  /** Shares the database of another test server, as two nodes do. */
  on?: TestDatabase
  /** `true` for a separate database: the clock of its database can be moved. */
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

/** The configuration of a server that listens on this port. */
export function testConfig(options: TestServerOptions & { secret: string }, port: number): Config {
  const { secret, nextSecret, previousSecret } = options
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
    secret,
    ...(nextSecret && { nextSecret }),
    ...(previousSecret && { previousSecret }),
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
