import { lookup } from 'node:dns/promises'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { AuditChain } from './audit/chain.ts'
import { FailedLogins } from './audit/failed-logins.ts'
import type { Config, LogLevel } from './config.ts'
import { endNotices } from './connected-apps/end-notices.ts'
import type { Context } from './context.ts'
import type { Database } from './database/database.ts'
import { openDatabase } from './database/open.ts'
import { passwordCost } from './directory/passwords.ts'
import { ExplainedError } from './explained-error.ts'
import { closingOfGrants } from './grants/close-expired.ts'
import { openLog } from './http/log.ts'
import { Keyring } from './keys/keyring.ts'
import { recordedSecretKeys } from './keys/recorded-secrets.ts'
import { Limits } from './limits/limits.ts'
import { Rehashing } from './login/rehashing.ts'
import { mailChannel } from './mail/mail-channel.ts'
import type { MailSettings } from './mail-settings.ts'
import { Purge } from './maintenance/purge.ts'
import { deploymentFacts } from './metrics/deployment.ts'
import { Metrics } from './metrics/metrics.ts'
import type { Tracing } from './metrics/tracing.ts'
import { createOpsServer } from './ops-server.ts'
import { OutboxWorker } from './outbox/outbox-worker.ts'
import { developerReadLimiter, expensiveReadLimiter, passwordHashLimiter } from './process/limiters.ts'
import { OneAtATime } from './process/one-at-a-time.ts'
import { Usage } from './process/usage.ts'
import { ReadLog } from './read-log/read-log.ts'
import { CallHourCounts } from './request-log/call-hours.ts'
import { RequestLog } from './request-log/request-log.ts'
import { sandboxFor } from './sandbox/sandbox.ts'
import { secretKeys } from './secrets/secret-keys.ts'
import { createAdminServer, createServer } from './server.ts'
import { Heartbeat } from './status/heartbeat.ts'
import { version } from './version.ts'
import type { AttemptOutcome } from './webhooks/deliver.ts'
import { HouseholdNotices } from './webhooks/household-notices.ts'
import { WebhookWorker } from './webhooks/webhook-worker.ts'

export type RunningServer = { close(): Promise<void> }

export type StartOptions = {
  /** Used if LATCHKEY_LOG_LEVEL is not set. */
  defaultLogLevel: LogLevel
  /** Runs before the database or its schema is changed. If it throws, nothing is changed. */
  check?: (database: Database) => Promise<void>
  /** Runs when the database is open, before the server listens. */
  prepare?: (database: Database) => Promise<void>
}

/**
 * Opens the log and the database, and listens on the public and the operations address.
 * @throws {ListenError} if an address or port cannot be used
 */
export async function startServer(
  config: Config,
  { defaultLogLevel, check, prepare }: StartOptions,
): Promise<RunningServer> {
  const log = openLog(config.logLevel ?? defaultLogLevel)
  const onError = (error: Error) => log.logger.error(error, 'database connection lost')
  try {
    const database = await openDatabase(config, 'server', onError, check)
    try {
      await prepare?.(database)
      const server = await listen(config, database, log.logger)
      return { close: () => server.close().finally(log.close) }
    } catch (error) {
      await database.close()
      throw error
    }
  } catch (error) {
    await log.close()
    throw error
  }
}

async function listen(config: Config, database: Database, logger: Logger): Promise<RunningServer> {
  if (config.authUrl.startsWith('https:') && config.trustedProxies.length === 0) {
    logger.warn(
      'LATCHKEY_TRUSTED_PROXIES is not set. All logins through the proxy are throttled as one source.',
    )
  }
  const { context, jobs, tracing, ...stopped } = await openContext(config, database, logger)
  await stopped.sandbox?.start()
  const server = await createServer(context, logger, tracing)
  const ops = createOpsServer(context)
  const admin = config.admin.listener && (await createAdminServer(context, logger, tracing))
  const servers = [server, ...(admin ? [admin] : []), ops]
  const stopJobs = async () => {
    for (const job of [stopped.rehashing, ...jobs, stopped.sandbox]) await job?.stop()
  }
  try {
    // One address: for a name with several, Fastify would open listeners that our limits do not reach.
    const { address } = await lookup(config.host)
    await server.listen({ host: address, port: config.port, listenTextResolver: () => 'listening' })
    if (admin && config.admin.listener) {
      const { host, port } = config.admin.listener
      const { address } = await lookup(host)
      await admin.listen({ host: address, port, listenTextResolver: () => 'admin listening' })
    }
    await ops.listen({
      host: config.opsHost,
      port: config.opsPort,
      listenTextResolver: () => 'operations listening',
    })
  } catch (error) {
    await Promise.all(servers.map((each) => each.close()))
    await stopJobs() // a statement of the sandbox may be in progress
    throw explainListen(error)
  }
  for (const job of [...jobs, stopped.webhooks, stopped.heartbeat]) job.start()
  return {
    async close() {
      await stopped.heartbeat.stop() // what follows is an outage, if no other server runs
      await stopped.webhooks.stop() // before the port is free for a successor of the same name
      // The servers refuse new connections and finish the requests in progress. Then the database is closed. A busy
      // connection is not kept alive after its answer, because it would delay the end for more than a minute.
      for (const { server: http } of servers) http.keepAliveTimeout = 1
      for (const each of servers) await each.close()
      await stopJobs()
      await database.close()
      await tracing?.close()
    },
  }
}

/** Work that runs while the server serves. `stop` resolves when the database is no longer needed. */
type Job = { start(): void; stop(): Promise<void> }

type Opened = {
  context: Context
  jobs: Job[]
  rehashing: Rehashing
  webhooks: WebhookWorker
  heartbeat: Heartbeat
  sandbox: ReturnType<typeof sandboxFor>
  tracing: Tracing | undefined
}

/** Everything that the requests share, and the background jobs, in the order in which they are stopped. */
async function openContext(config: Config, database: Database, logger: Logger): Promise<Opened> {
  const now = () => new Date()
  const keyring = new Keyring({ database, keys: secretKeys(config), now, logger })
  await keyring.refresh()
  const keys = await recordedSecretKeys(database, config, now())
  const limits = new Limits({ database, config, now, logger })
  await limits.refresh()
  const limiters = {
    passwordHashLimiter: passwordHashLimiter(),
    expensiveReadLimiter: expensiveReadLimiter(),
    developerReadLimiter: developerReadLimiter(),
    slowWebhookLimiter: new OneAtATime(),
  }
  const rehashing = new Rehashing(database, limiters.passwordHashLimiter, logger, passwordCost)
  const metrics = serverMetrics(config, database, limiters)
  const tracing = await openTracing(config)
  database.observe(metrics.databaseObserver(tracing?.observeStatement))
  const sandbox = sandboxFor(config.environment, database, now)
  const counters = countersOf(config, database, logger)
  const context: Context = {
    ...{ config, database, keys, keyring, ...limiters },
    ...{ rehashing, limits, ...counters, metrics, now },
    ...(sandbox && { sandbox }),
  }
  const mails = config.mail ? [mailWorker(context, config.mail, logger)] : []
  const chain = new AuditChain({ database, keys, logger, now })
  const jobs = [
    keyring,
    limits,
    new Purge(database, logger, { ...config, keys }),
    closingOfGrants(database, logger),
    endNotices(database, logger, config.mail !== undefined),
    new HouseholdNotices(database, logger, config.baseUrl),
    ...mails,
    ...Object.values(counters),
    chain,
  ]
  const webhooks = webhookWorker(context, logger)
  const heartbeat = new Heartbeat(database, logger)
  return { context, jobs, rehashing, webhooks, heartbeat, sandbox, tracing }
}

/** What is counted in memory and written every few seconds. */
function countersOf(config: Config, database: Database, logger: Logger) {
  return {
    usage: new Usage(database, logger),
    readLog: new ReadLog(database, logger),
    failedLogins: new FailedLogins(database, logger, () => new Date()),
    callHours: new CallHourCounts(database, logger, () => new Date()),
    ...(config.requestLogDays > 0 && { requestLog: new RequestLog(database, logger) }),
  }
}

function serverMetrics(
  { environment }: Config,
  database: Database,
  {
    passwordHashLimiter: hashes,
    expensiveReadLimiter: reads,
  }: Pick<Context, 'passwordHashLimiter' | 'expensiveReadLimiter'>,
): Metrics {
  const metrics = new Metrics({
    environment,
    version: version(),
    pools: () => database.poolStates(),
    passwordHashes: () => hashes.inProgress(),
    expensiveReads: () => reads.inProgress(),
    deployment: () => deploymentFacts(database),
  })
  metrics.includeProcess()
  return metrics
}

/** Undefined: no exporter is configured. */
async function openTracing({
  traceServiceName: serviceName,
  environment,
}: Config): Promise<Tracing | undefined> {
  if (serviceName === undefined) return undefined
  const { Tracing } = await import('./metrics/tracing.ts')
  return new Tracing({ serviceName, version: version(), environment })
}

function mailWorker(
  { config: { authUrl, brand }, database, keys }: Context,
  settings: MailSettings,
  logger: Logger,
): OutboxWorker {
  const channel = mailChannel({ settings, keys, authUrl, brand })
  return new OutboxWorker({ database, logger, channel })
}

function webhookWorker(
  { config: settings, database, keys, metrics }: Context,
  logger: Logger,
): WebhookWorker {
  const count = (outcome: AttemptOutcome) => metrics.countWebhookAttempt(outcome)
  return new WebhookWorker({
    server: `${hostname()}:${settings.host}:${settings.port}`,
    database,
    keys,
    logger,
    settings,
    sendsMails: settings.mail !== undefined,
    count,
    observeDelay: (seconds) => metrics.observeWebhookDelay(seconds),
  })
}

class ListenError extends ExplainedError {}

function explainListen(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const port = 'port' in error ? String(error.port) : ''
  const ports = 'LATCHKEY_PORT, LATCHKEY_ADMIN_PORT and LATCHKEY_OPS_PORT'
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(
        `Another program uses port ${port}. Stop it, or choose another port with ${ports}.`,
      )
    case 'EACCES':
      return new ListenError(`This user may not open port ${port}. Choose a port above 1023 with ${ports}.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ListenError(
        'LATCHKEY_HOST, LATCHKEY_ADMIN_HOST or LATCHKEY_OPS_HOST is not an address of this machine.',
      )
    default:
      return error
  }
}

/** Resolves on SIGTERM or SIGINT. A second signal ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.once('SIGINT', () => process.exit(130))
      process.once('SIGTERM', () => process.exit(143))
      resolve()
    }
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
  })
}
