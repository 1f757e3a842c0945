import { resolve } from 'node:path'
import { type AdminSettings, readAdminSettings } from './admin-settings.ts'
import type { Brand } from './brand/brand.ts'
import { defaultBrand, readBrand } from './brand/read-brand.ts'
import {
  optional,
  parseBaseUrl,
  parseDatabaseUrl,
  parseHttpAddress,
  parseInstant,
  parseNetworks,
  parseOrigin,
  parsePort,
  parseWebhookAllow,
  type ReadVariable,
  wholeNumber,
} from './config-values.ts'
import type { Environment } from './environment.ts'
import { ExplainedError } from './explained-error.ts'
import { type GoingLiveSettings, readGoingLiveSettings } from './going-live-settings.ts'
import { parseLifetimeDays } from './grants/lifetime-days.ts'
import { type LimitName, type LimitSettings, limitNames, parseLimit } from './limit-settings.ts'
import { type MailSettings, readMailSettings } from './mail-settings.ts'
import { readSecrets, type Secrets } from './secrets/configured-secrets.ts'

export type { Environment } from './environment.ts'

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Each secret has at least 32 bytes. Every key that the database does not store is derived from one of them. */
export type Config = Secrets & {
  environment: Environment
  /** Origin of the authorization server, no trailing slash; also the OpenID issuer. */
  authUrl: string
  /** `authUrl`, also where `authUrl` is the origin of the console: for links that users get. */
  publicUrl: string
  /** Base of the API, ends in `service-open-api/`. */
  baseUrl: string
  host: string
  port: number
  /** The operations listener: health checks. */
  opsHost: string
  opsPort: number
  /** The console and the admin API. */
  admin: AdminSettings
  /** Absent: the default of the command. */
  logLevel?: LogLevel
  dataDir: string
  /** Absent: the embedded PostgreSQL in `dataDir`. */
  databaseUrl?: string
  /** The database as the owner of its tables, for migrations. Absent: the server's own role migrates. */
  migrationUrl?: string
  /** Addresses of the proxies whose `X-Forwarded-For` the server trusts. */
  trustedProxies: string[]
  /** Absent: the v1 listing of households announces no deprecation. */
  v1?: { deprecatedOn: Date; sunsetOn?: Date }
  /** For partners that have no such limit themselves. Absent: no limit. */
  limits: LimitSettings
  /** Days for which a user's consent is valid, for partners without a setting for it. Absent: it has no end. */
  grantLifetimeDays?: number
  /** Months for which the read log is kept. */
  readLogMonths: number
  /** Days for which the request log is kept. 0: there is none. */
  requestLogDays: number
  /** Months for which the audit log is kept. 0: without end. */
  auditMonths: number
  /** Failed client authentications and forged tokens from one source in a minute. Absent: no limit. */
  failuresPerMinute: number | undefined
  /** Absent: the server sends no mails. */
  mail?: MailSettings
  /** Where a secret scanner publishes its keys. Absent: its reports are not accepted. */
  secretScanningKeysUrl?: string
  /** Hosts and networks to which webhooks go although they are not public. Empty in production. */
  webhookAllow: string[]
  /** The `service.name` of traces. Absent: the server sends no traces. */
  traceServiceName?: string
  goingLive: GoingLiveSettings
  /** What users see of the platform. The pictures are read once. */
  brand: Brand
}

export class ConfigError extends ExplainedError {
  readonly faults: string[]

  constructor(faults: string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n  ${faults.join('\n  ')}`,
    )
    this.faults = faults
  }
}

/**
 * Reads and checks the environment variables. If `makeSecret` is false and the data directory has no secret yet, `secret`
 * is empty.
 * @throws {ConfigError} with all faults
 */
export function readConfig(env: NodeJS.ProcessEnv, { makeSecret } = { makeSecret: true }): Config {
  const faults: string[] = []
  const read = reader(env, faults)
  const environment = read('LATCHKEY_ENVIRONMENT', 'sandbox', parseEnvironment)
  const addresses = readAddresses(env, read, faults)
  const admin = readAdminSettings(env, read, faults, addresses)
  const dataDir = resolve(env.LATCHKEY_DATA_DIR || './data')
  const databaseUrl = read('DATABASE_URL', '', parseDatabaseUrl)
  const migrationUrl = readMigrationUrl(read, databaseUrl, faults)
  const trustedProxies = read('LATCHKEY_TRUSTED_PROXIES', '', parseNetworks)
  const v1 = readV1(read, faults)
  const forPartners = { ...readLimits(read), ...readGrantLifetime(read) }
  const logs = readLogs(read)
  const mail = readMailSettings(read, faults)
  const traces = readTraces(env, read)
  const goingLive = readGoingLiveSettings(read, environment, faults)
  const secretScanningKeysUrl = read('LATCHKEY_SECRET_SCANNING_KEYS_URL', '', optional(parseHttpAddress))
  const webhookAllow = readWebhookAllow(read, environment, faults)
  const logLevel = read('LATCHKEY_LOG_LEVEL', '', parseLogLevel)
  const brand = env.LATCHKEY_BRAND_DIR ? readBrand(env.LATCHKEY_BRAND_DIR, faults) : defaultBrand()
  const secrets = readSecrets({ env, read, faults, dataDir, makeSecret })
  if (faults.length > 0 || !environment || !addresses || !admin || !secrets || !trustedProxies || !brand) {
    throw new ConfigError(faults)
  }
  return {
    environment,
    ...addresses,
    admin,
    ...(logLevel ? { logLevel } : {}),
    dataDir,
    ...secrets,
    ...(databaseUrl ? { databaseUrl } : {}),
    ...(migrationUrl ? { migrationUrl } : {}),
    trustedProxies,
    ...(v1 ? { v1 } : {}),
    ...forPartners,
    ...logs,
    webhookAllow,
    goingLive,
    brand,
    ...(mail ? { mail } : {}),
    ...traces,
    ...(secretScanningKeysUrl ? { secretScanningKeysUrl } : {}),
  }
}

type Addresses = Pick<Config, 'authUrl' | 'publicUrl' | 'baseUrl' | 'host' | 'port' | 'opsHost' | 'opsPort'>

/** Where the server listens, and what its public addresses are. Undefined: there is a fault. */
function readAddresses(env: NodeJS.ProcessEnv, read: ReadVariable, faults: string[]): Addresses | undefined {
  const host = env.LATCHKEY_HOST || '127.0.0.1'
  const port = read('LATCHKEY_PORT', '4000', parsePort)
  const opsHost = env.LATCHKEY_OPS_HOST || '127.0.0.1'
  const opsPort = read('LATCHKEY_OPS_PORT', '4001', parsePort)
  if (port && port === opsPort)
    faults.push(`LATCHKEY_OPS_PORT: must differ from LATCHKEY_PORT, which is ${port} as well`)
  const authUrl = read('LATCHKEY_AUTH_URL', `http://localhost:${port ?? 4000}`, parseOrigin)
  const baseUrl = read(
    'LATCHKEY_BASE_URL',
    `${authUrl ?? 'http://localhost:4000'}/service-open-api/`,
    parseBaseUrl,
  )
  return port && opsPort && authUrl && baseUrl
    ? { authUrl, publicUrl: authUrl, baseUrl, host, port, opsHost, opsPort }
    : undefined
}

function reader(env: NodeJS.ProcessEnv, faults: string[]): ReadVariable {
  return (name, defaultText, parse) => {
    try {
      return parse(env[name] || defaultText)
    } catch (error) {
      faults.push(`${name}: ${error instanceof Error ? error.message : error}`)
      return undefined
    }
  }
}

const limitVariables: Record<LimitName, string> = {
  requests_per_minute: 'LATCHKEY_LIMIT_REQUESTS_PER_MINUTE',
  requests_per_user_per_minute: 'LATCHKEY_LIMIT_REQUESTS_PER_USER_PER_MINUTE',
  token_requests_per_minute: 'LATCHKEY_LIMIT_TOKEN_REQUESTS_PER_MINUTE',
  refreshes_per_connection_per_minute: 'LATCHKEY_LIMIT_REFRESHES_PER_CONNECTION_PER_MINUTE',
  expensive_reads: 'LATCHKEY_LIMIT_EXPENSIVE_READS',
}

function readLimits(read: ReadVariable): Pick<Config, 'limits' | 'failuresPerMinute'> {
  const limits: LimitSettings = {}
  for (const name of limitNames) {
    const limit = read(limitVariables[name], '', optional(parseLimit))
    if (limit) limits[name] = limit
  }
  const failuresPerMinute = read('LATCHKEY_LIMIT_FAILURES_PER_MINUTE', '', optional(parseLimit))
  return { limits, failuresPerMinute: failuresPerMinute ?? undefined }
}

function readGrantLifetime(read: ReadVariable): Pick<Config, 'grantLifetimeDays'> {
  const days = read('LATCHKEY_GRANT_LIFETIME_DAYS', '', optional(parseLifetimeDays))
  return days ? { grantLifetimeDays: days } : {}
}

function readLogs(read: ReadVariable): Pick<Config, 'readLogMonths' | 'requestLogDays' | 'auditMonths'> {
  return {
    readLogMonths: read('LATCHKEY_READ_LOG_MONTHS', '13', wholeNumber(1, 120)) ?? 13,
    requestLogDays: read('LATCHKEY_REQUEST_LOG_DAYS', '7', wholeNumber(0, 90)) ?? 7,
    auditMonths: read('LATCHKEY_AUDIT_MONTHS', '', optional(wholeNumber(12, 1200))) ?? 0,
  }
}

/** In production, an exception would open the operator's network to partners. */
function readWebhookAllow(
  read: ReadVariable,
  environment: Environment | undefined,
  faults: string[],
): string[] {
  const allowed = read('LATCHKEY_WEBHOOK_ALLOW', '', parseWebhookAllow) ?? []
  if (allowed.length > 0 && environment === 'production')
    faults.push(
      'LATCHKEY_WEBHOOK_ALLOW: must not be set in production, where webhooks go to public addresses only',
    )
  return allowed
}

/** The variables of the OpenTelemetry specification: its SDK reads them as well. */
function readTraces(env: NodeJS.ProcessEnv, read: ReadVariable): Pick<Config, 'traceServiceName'> {
  const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']
  const isConfigured = endpoints.map((name) => read(name, '', optional(parseHttpAddress))).some(Boolean)
  return isConfigured ? { traceServiceName: env.OTEL_SERVICE_NAME || 'latchkey' } : {}
}

/** The sunset must not be before the deprecation (RFC 9745 section 4). */
function readV1(read: ReadVariable, faults: string[]): Config['v1'] {
  const deprecatedOn = read('LATCHKEY_V1_DEPRECATED_ON', '', parseInstant)
  const sunsetOn = read('LATCHKEY_V1_SUNSET_ON', '', parseInstant)
  if (sunsetOn && deprecatedOn === null) {
    faults.push('LATCHKEY_V1_SUNSET_ON: needs LATCHKEY_V1_DEPRECATED_ON as well')
  }
  if (sunsetOn && deprecatedOn && sunsetOn < deprecatedOn) {
    faults.push('LATCHKEY_V1_SUNSET_ON: must not be before LATCHKEY_V1_DEPRECATED_ON')
  }
  return deprecatedOn ? { deprecatedOn, ...(sunsetOn ? { sunsetOn } : {}) } : undefined
}

function parseEnvironment(text: string): Environment {
  if (text !== 'sandbox' && text !== 'production')
    throw new Error(`must be sandbox or production, not "${text}"`)
  return text
}

function readMigrationUrl(
  read: ReadVariable,
  databaseUrl: string | undefined,
  faults: string[],
): string | undefined {
  const url = read('DATABASE_MIGRATION_URL', '', parseDatabaseUrl)
  if (url && !databaseUrl) faults.push('DATABASE_MIGRATION_URL: needs DATABASE_URL as well')
  return url
}

/** Null: not set. */
function parseLogLevel(text: string): LogLevel | null {
  if (text === '') return null
  const level = logLevels.find((known) => known === text)
  if (!level) throw new Error(`must be one of ${logLevels.join(', ')}, not "${text}"`)
  return level
}
