import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { DatabaseObserver, PoolState } from '../database/database.ts'
import type { Environment } from '../environment.ts'
import { type DeploymentFacts, describeDeployment } from './deployment-gauges.ts'

/** Seconds. The buckets of the OpenTelemetry conventions, and two shorter ones: most calls take less than 5 ms. */
const requestBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
]
const databaseBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]
const webhookBuckets = [0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 3600]

/** Whose call it was. `own_limits`: the operator set limits for this partner. `none`: no partner is known. */
export type PartnerClass = 'default' | 'own_limits' | 'none'

/** One request that has been answered. */
export type AnsweredRequest = {
  method: string
  /** The pattern of the route. Undefined: the address has none. */
  route: string | undefined
  status: number
  seconds: number
  /** The kind of work, and its result, as the log names them (docs/monitor.md). */
  event?: string | null | undefined
  outcome?: string | null | undefined
  partnerClass: PartnerClass
}

type Observe = { observe(seconds: number): void }
type Increment = { inc(): void }

/** Numbers that are read when they are scraped. */
export type Sources = {
  environment: Environment
  version: string
  pools(): PoolState[]
  /** Logins that wait for a password hash or compute one. */
  passwordHashes(): number
  /** Searches and long syncs that run or wait. */
  expensiveReads(): number
  /** Undefined: the database does not answer. */
  deployment(): Promise<DeploymentFacts | undefined>
}

/**
 * What Prometheus scrapes at `/metrics` (docs/monitor.md). The names follow the OpenTelemetry conventions for HTTP and
 * databases, with dots as underscores. Ids of partners, users and households are never labels: they would make a series for
 * each.
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests: Histogram
  readonly #outcomes: Counter
  readonly #statements: Histogram
  readonly #webhookAttempts: Counter
  readonly #webhookDelays: Histogram
  /** The children of the metrics by their label values: looking them up in the client costs more than counting. */
  readonly #requestSeries = new Map<string, Observe>()
  readonly #outcomeSeries = new Map<string, Increment>()
  readonly #statementSeries = new Map<string, Observe>()

  constructor(sources: Sources) {
    const registers = [this.#registry]
    this.#requests = new Histogram({
      name: 'http_server_request_duration_seconds',
      help: 'Duration of HTTP requests, until the answer was sent.',
      labelNames: [
        'http_request_method',
        'http_route',
        'http_response_status_code',
        'latchkey_partner_class',
      ],
      buckets: requestBuckets,
      registers,
    })
    this.#outcomes = new Counter({
      name: 'latchkey_outcomes_total',
      help: 'Results of calls, by the fields `event` and `outcome` of the log.',
      labelNames: ['event', 'outcome', 'latchkey_partner_class'],
      registers,
    })
    this.#statements = new Histogram({
      name: 'db_client_operation_duration_seconds',
      help: 'Duration of database statements, including the wait for a connection.',
      labelNames: ['db_system_name', 'db_query_summary', 'db_client_connection_pool_name', 'error_type'],
      buckets: databaseBuckets,
      registers,
    })
    this.#webhookAttempts = new Counter({
      name: 'latchkey_webhook_attempts_total',
      help: 'Attempts to deliver webhooks, by result.',
      labelNames: ['outcome'],
      registers,
    })
    this.#webhookDelays = new Histogram({
      name: 'latchkey_webhook_delivery_delay_seconds',
      help: 'From an event to its delivery, if the first attempt succeeded.',
      buckets: webhookBuckets,
      registers,
    })
    this.#describeServer(sources)
    this.#describePools(sources)
    describeDeployment(this.#registry, sources.deployment)
  }

  /** Adds the metrics of the process: memory, processor time, event loop, garbage collection. Call it once in a process. */
  includeProcess(): void {
    collectDefaultMetrics({ register: this.#registry })
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** The text that Prometheus reads. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }

  observeRequest({
    method,
    route = '',
    status,
    seconds,
    event,
    outcome,
    partnerClass,
  }: AnsweredRequest): void {
    const series = inMap(this.#requestSeries, `${method} ${route} ${status} ${partnerClass}`, () =>
      this.#requests.labels(method, route, String(status), partnerClass),
    )
    series.observe(seconds)
    if (event)
      inMap(this.#outcomeSeries, `${event} ${outcome} ${partnerClass}`, () =>
        this.#outcomes.labels(event, outcome ?? '', partnerClass),
      ).inc()
  }

  /** @param outcome `delivered`, or why the attempt failed (src/webhooks/deliver.ts) */
  countWebhookAttempt(outcome: string): void {
    this.#webhookAttempts.labels(outcome).inc()
  }

  /** @param seconds from an event to its delivery by the first attempt */
  observeWebhookDelay(seconds: number): void {
    this.#webhookDelays.observe(seconds)
  }

  /** @param next also observes each statement */
  databaseObserver(next?: DatabaseObserver): DatabaseObserver {
    return (statement, workClass) => {
      const startedAt = performance.now()
      const end = next?.(statement, workClass)
      return (error) => {
        inMap(this.#statementSeries, `${statement} ${workClass} ${error}`, () =>
          this.#statements.labels('postgresql', statement, workClass, error ?? ''),
        ).observe((performance.now() - startedAt) / 1000)
        end?.(error)
      }
    }
  }

  #describeServer({ environment, version, passwordHashes, expensiveReads }: Sources): void {
    const registers = [this.#registry]
    new Gauge({
      name: 'latchkey_build_info',
      help: 'Always 1. The labels name the running version.',
      labelNames: ['version', 'environment'],
      registers,
    })
      .labels(version, environment)
      .set(1)
    new Gauge({
      name: 'latchkey_password_hashes_in_progress',
      help: 'Password hashes that are computed or wait for their turn.',
      registers,
      collect() {
        this.set(passwordHashes())
      },
    })
    new Gauge({
      name: 'latchkey_expensive_reads_in_progress',
      help: 'Searches and long syncs that run or wait for their turn.',
      registers,
      collect() {
        this.set(expensiveReads())
      },
    })
  }

  #describePools({ pools }: Sources): void {
    const registers = [this.#registry]
    new Gauge({
      name: 'db_client_connection_count',
      help: 'Connections to the database, by pool and state.',
      labelNames: ['db_client_connection_pool_name', 'db_client_connection_state'],
      registers,
      collect() {
        for (const { workClass, total, idle } of pools()) {
          this.labels(workClass, 'idle').set(idle)
          this.labels(workClass, 'used').set(total - idle)
        }
      },
    })
    new Gauge({
      name: 'db_client_connection_max',
      help: 'The most connections that a pool opens.',
      labelNames: ['db_client_connection_pool_name'],
      registers,
      collect() {
        for (const { workClass, max } of pools()) this.labels(workClass).set(max)
      },
    })
    new Gauge({
      name: 'db_client_connection_pending_requests',
      help: 'Statements that wait for a connection.',
      labelNames: ['db_client_connection_pool_name'],
      registers,
      collect() {
        for (const { workClass, waiting } of pools()) this.labels(workClass).set(waiting)
      },
    })
  }
}

function inMap<T>(map: Map<string, T>, key: string, make: () => T): T {
  const existing = map.get(key)
  if (existing) return existing
  const made = make()
  map.set(key, made)
  return made
}
