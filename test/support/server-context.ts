import type { Logger } from 'pino'
import { FailedLogins } from '../../src/audit/failed-logins.ts'
import type { Config } from '../../src/config.ts'
import type { Context } from '../../src/context.ts'
import type { Database } from '../../src/database/database.ts'
import { Keyring } from '../../src/keys/keyring.ts'
import { recordedSecretKeys } from '../../src/keys/recorded-secrets.ts'
import { Limits } from '../../src/limits/limits.ts'
import { Rehashing } from '../../src/login/rehashing.ts'
import { deploymentFacts } from '../../src/metrics/deployment.ts'
import { Metrics } from '../../src/metrics/metrics.ts'
import type { Tracing } from '../../src/metrics/tracing.ts'
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
import { secretKeys } from '../../src/secrets/secret-keys.ts'
import { seededCost } from './directory.ts'

type Parts = {
  config: Config
  database: Database
  logger: Logger
  now: () => Date
  tracing?: Tracing | undefined
}

/** The context of a test server, and what runs in its background: start it with the server and stop it in this order. */
export type OpenedContext = { context: Context; rehashing: Rehashing; counters: Counter[] }

type Counter = { start(): void; stop(): Promise<void> }

/** Reads what a server reads before it listens. */
export async function openContext(parts: Parts): Promise<OpenedContext> {
  const { config, database, logger, now, tracing } = parts
  const keyring = new Keyring({ database, keys: secretKeys(config), now, logger })
  await keyring.refresh()
  const counters = countersOf(parts)
  const limiters = {
    passwordHashLimiter: passwordHashLimiter(),
    expensiveReadLimiter: expensiveReadLimiter(),
    developerReadLimiter: developerReadLimiter(),
    slowWebhookLimiter: new OneAtATime(),
  }
  // The cost of seeded passwords: they are not replaced at the first login.
  const rehashing = new Rehashing(database, limiters.passwordHashLimiter, logger, seededCost)
  const keys = await recordedSecretKeys(database, config, now())
  const limits = new Limits({ database, config, now, logger })
  await limits.refresh()
  const sandbox = sandboxFor(config.environment, database, now)
  const metrics = testMetrics(config, database)
  database.observe(metrics.databaseObserver(tracing?.observeStatement))
  const context: Context = {
    ...{ config, database, keys, keyring, rehashing, limits, metrics, now },
    ...limiters,
    ...counters,
    ...(sandbox && { sandbox }),
  }
  return { context, rehashing, counters: Object.values(counters) }
}

function countersOf({ database, logger, now }: Parts) {
  return {
    usage: new Usage(database, logger),
    readLog: new ReadLog(database, logger),
    failedLogins: new FailedLogins(database, logger, now),
    requestLog: new RequestLog(database, logger),
    callHours: new CallHourCounts(database, logger, now),
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
