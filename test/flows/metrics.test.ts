import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { createOpsServer } from '../../src/ops-server.ts'
import Type, { Compile } from '../../src/typebox.ts'
import { tokensFor } from '../support/connection.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { interruptibleDatabase } from '../support/interruptible-database.ts'
import { api, refresh } from '../support/journey.ts'
import { deliverDue, endpointAt, receiverFixture, writeEvents } from '../support/webhooks.ts'

const database = await databaseFixture(interruptibleDatabase)
const server = await serverFixture({ on: database, webhookAllow: ['127.0.0.0/8'] })
const operations = createOpsServer(server.context)
const opsUrl = await operations.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => operations.close())

const partner = await server.partner()
const limited = await server.partner({ limits: { requests_per_minute: 1000 } })
await server.context.limits.refresh()
await seed(server.database, { users: ['ada'], households: ['h1'] })
const tokens = await tokensFor(server, partner, 'ada')
const ofLimited = await tokensFor(server, limited, 'ada')

async function scrape(): Promise<string> {
  const response = await fetch(`${opsUrl}/metrics`)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  return response.text()
}

/** The value of the series with exactly these labels, or undefined. */
async function seriesValue(name: string, labels: Record<string, string>): Promise<number | undefined> {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const line = (await scrape())
    .split('\n')
    .find((line) => line.startsWith(`${name}{`) && wanted.every((label) => line.includes(label)))
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1))
}

const route = '/service-open-api/api/v1/households'
const callsOf = (partnerClass: string) =>
  seriesValue('http_server_request_duration_seconds_count', {
    http_request_method: 'GET',
    http_route: route,
    http_response_status_code: '200',
    latchkey_partner_class: partnerClass,
  })

describe('/metrics', () => {
  test('counts each call by route, status and class of partner', async () => {
    for (const { accessToken } of [tokens, ofLimited, ofLimited]) await api(server, 'households', accessToken)
    expect(await callsOf('default')).toBe(1)
    expect(await callsOf('own_limits')).toBe(2)
  })

  test('counts outcomes as the log names them', async () => {
    await refresh(server, partner, tokens.refreshToken)
    await refresh(server, partner, 'not-a-token')
    expect(
      await seriesValue('latchkey_outcomes_total', { event: 'token', outcome: 'issued' }),
    ).toBeGreaterThan(0)
    const refused = { event: 'token', outcome: 'refresh_token_malformed' }
    expect(await seriesValue('latchkey_outcomes_total', refused)).toBe(1)
  })

  test('measures each statement', async () => {
    const summary = { db_system_name: 'postgresql', db_query_summary: 'rotate_refresh_token', error_type: '' }
    expect(await seriesValue('db_client_operation_duration_seconds_count', summary)).toBeGreaterThan(0)
    expect(await seriesValue('db_client_connection_max', { db_client_connection_pool_name: 'core' })).toBe(8)
  })

  test('counts due webhooks and endpoints, and measures how long a delivery took', async () => {
    const receiver = await receiverFixture()
    await endpointAt(server, partner.clientId, receiver.url)
    await writeEvents(server, partner.clientId, [1, 2])
    expect(await scrape()).toContain('\nlatchkey_webhook_messages 2\n')
    await deliverDue(server)
    receiver.answer = (_, response) => void response.writeHead(500).end()
    await writeEvents(server, partner.clientId, [1])
    await deliverDue(server)
    const text = await scrape()
    expect(text).toContain('\nlatchkey_webhook_messages 0\n')
    expect(text).toContain('\nlatchkey_webhook_delivery_delay_seconds_count 2\n')
    for (const [state, endpoints] of Object.entries({ working: 0, failing: 1, disabled: 0 }))
      expect(text).toContain(`\nlatchkey_webhook_endpoints{state="${state}"} ${endpoints}\n`)
  })

  test('names no partner, user, household or request', async () => {
    const text = await scrape()
    for (const id of [partner.clientId, 'ada', 'h1', 'example']) expect(text).not.toContain(`"${id}`)
  })

  test('85: an address that a client makes up is no series of its own', async () => {
    await fetch(`${server.authUrl}/made-up-path-${Date.now()}`)
    expect(await scrape()).not.toContain('made-up-path')
  })

  test('answers while the database is away, and says so', async () => {
    expect(await scrape()).toContain('latchkey_database_up 1')
    await database.cut()
    expect(await scrape()).toContain('latchkey_database_up 0')
    await database.heal()
  })
})

/** The names of metrics in a PromQL expression: what is left of its words without labels, functions and keywords. */
function metricNames(expression: string): string[] {
  const words = expression
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(by|without|on)\s*\([^)]*\)/g, '')
    .matchAll(/[a-z_][a-z0-9_]*(?!\s*\()\b/gi)
  return [...words]
    .map(([word]) => word)
    .filter((word) => word.includes('_') && !/^histogram_quantile$/.test(word))
}

const dashboard = Compile(
  Type.Object({
    panels: Type.Array(
      Type.Object({ title: Type.String(), targets: Type.Array(Type.Object({ expr: Type.String() })) }),
    ),
  }),
)

const rulesFile = 'deploy/prometheus/latchkey.rules.yml'

function expressions(): string[] {
  const { panels } = dashboard.Parse(JSON.parse(readFileSync('deploy/grafana/latchkey.json', 'utf8')))
  const rules = readFileSync(rulesFile, 'utf8').matchAll(/expr: (?:\|\n((?: {10,}.*\n)+)|(.*))/g)
  return [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...[...rules].map(([, block, line]) => block ?? line ?? ''),
  ]
}

describe('the dashboard and the alert rules', () => {
  test('use only metrics that the server has', async () => {
    server.context.metrics.includeProcess()
    const known = new Set(
      [...(await scrape()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
        type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name],
      ),
    )
    const used = new Set(expressions().flatMap(metricNames))
    expect(used.size).toBeGreaterThan(10)
    expect([...used].filter((name) => !known.has(name))).toEqual([])
  })

  test('the rules fire and rest as promtool expects, where promtool is installed', async ({ skip }) => {
    const run = promisify(execFile)
    const isInstalled = await run('promtool', ['--version']).then(
      () => true,
      () => false,
    )
    if (!isInstalled) skip('promtool is not installed (Debian: the package prometheus)')
    const { stdout } = await run('promtool', ['test', 'rules', 'deploy/prometheus/latchkey.rules.test.yml'])
    expect(stdout).toContain('SUCCESS')
  })
})
