import { Gauge, type Registry } from 'prom-client'

/** What the database knows about the deployment. */
export type DeploymentFacts = {
  /** Mails that are due, at most 10,000. */
  outboxMessages: number
  /** Seconds for which the oldest of them has been due. */
  outboxOldestSeconds: number
  /** Webhooks that are due, at most 10,000. Not of endpoints that fail or are disabled. */
  webhookMessages: number
  /** Seconds for which the oldest of them has been due. */
  webhookOldestSeconds: number
  /** Numbers of endpoints by state. `failing`: the last attempt failed. */
  webhookEndpoints: Record<'working' | 'failing' | 'disabled', number>
  /** Age of the newest signing key of each algorithm, in seconds. */
  signingKeyAges: Record<string, number>
}

/** One statement for each scrape. If the database is away, the scrape succeeds and says so. */
export function describeDeployment(
  registry: Registry,
  deployment: () => Promise<DeploymentFacts | undefined>,
): void {
  const registers = [registry]
  let reading: Promise<DeploymentFacts | undefined> | undefined
  /** A scrape collects all gauges at once, and they share the statement. */
  const read = () => {
    reading ??= deployment().finally(() => {
      reading = undefined
    })
    return reading
  }
  for (const { name, help, labelNames = [], set } of gauges)
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        const facts = await read()
        if (facts) set(this, facts)
      },
    })
  new Gauge({
    name: 'latchkey_database_up',
    help: '1 if the database answered this scrape, otherwise 0.',
    registers,
    async collect() {
      this.set((await read()) ? 1 : 0)
    },
  })
}

type DeploymentGauge = {
  name: string
  help: string
  labelNames?: string[]
  set(gauge: Gauge, facts: DeploymentFacts): void
}

const gauges: DeploymentGauge[] = [
  {
    name: 'latchkey_outbox_messages',
    help: 'Messages that are due and not sent, at most 10,000.',
    set: (gauge, { outboxMessages }) => gauge.set(outboxMessages),
  },
  {
    name: 'latchkey_outbox_oldest_seconds',
    help: 'How long the oldest of the messages that are due has waited.',
    set: (gauge, { outboxOldestSeconds }) => gauge.set(outboxOldestSeconds),
  },
  {
    name: 'latchkey_webhook_messages',
    help: 'Webhooks that are due and not delivered, at most 10,000, without endpoints that fail or are disabled.',
    set: (gauge, { webhookMessages }) => gauge.set(webhookMessages),
  },
  {
    name: 'latchkey_webhook_oldest_seconds',
    help: 'How long the oldest due webhook has waited, without endpoints that fail or are disabled.',
    set: (gauge, { webhookOldestSeconds }) => gauge.set(webhookOldestSeconds),
  },
  {
    name: 'latchkey_webhook_endpoints',
    help: 'Endpoints of webhooks by state. An endpoint is failing if its last attempt failed.',
    labelNames: ['state'],
    set: (gauge, { webhookEndpoints }) => setAll(gauge, webhookEndpoints),
  },
  {
    name: 'latchkey_signing_key_age_seconds',
    help: 'Age of the newest signing key.',
    labelNames: ['algorithm'],
    set: (gauge, { signingKeyAges }) => setAll(gauge, signingKeyAges),
  },
]

function setAll(gauge: Gauge, values: Record<string, number>): void {
  for (const [label, value] of Object.entries(values)) gauge.labels(label).set(value)
}
