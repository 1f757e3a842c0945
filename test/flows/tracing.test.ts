import { createServer } from 'node:http'
import { afterAll, expect, test, vi } from 'vitest'
import { Tracing } from '../../src/metrics/tracing.ts'
import Type, { Compile, type Static } from '../../src/typebox.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { token } from '../support/journey.ts'
import { freePort } from '../support/ports.ts'

const Span = Type.Object({
  traceId: Type.String(),
  spanId: Type.String(),
  parentSpanId: Type.Optional(Type.String()),
  name: Type.String(),
  attributes: Type.Array(Type.Object({ key: Type.String(), value: Type.Unknown() })),
})
const sent = Compile(
  Type.Object({
    resourceSpans: Type.Array(
      Type.Object({ scopeSpans: Type.Array(Type.Object({ spans: Type.Array(Span) })) }),
    ),
  }),
)

const bodies: string[] = []
const collector = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  bodies.push(Buffer.concat(chunks).toString())
  response.setHeader('content-type', 'application/json').end('{}')
})
const port = await freePort()
await new Promise<void>((resolve) => collector.listen(port, '127.0.0.1', resolve))
vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${port}`)
const tracing = new Tracing({ serviceName: 'latchkey', version: 'test', environment: 'sandbox' })
vi.unstubAllEnvs()
afterAll(() => collector.close())

const server = await serverFixture({ tracing })
const partner = await server.partner()
await seed(server.database, { users: ['ada'], households: ['h1'] })

test('85: a request is a span below that of the caller, its statements are spans below it, and none has an id or a secret', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const accessToken = await accessTokenOf(server.database, 'ada')
  await fetch(`${server.baseUrl}api/v1/households?name_pattern=canary-of-a-query`, {
    headers: { authorization: `Bearer ${accessToken}`, traceparent: `00-${traceId}-b7ad6b7169203331-01` },
  })
  await token(server, partner, { grant_type: 'refresh_token', refresh_token: 'not-a-token' })
  await tracing.close() // sends the spans

  const spans = bodies.flatMap((body) =>
    sent
      .Parse(JSON.parse(body))
      .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  )
  const call = only(spans, 'GET /service-open-api/api/v1/households')
  expect(call).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' })
  expect(attributesOf(call)).toMatchObject({ 'http.response.status_code': { intValue: 200 } })
  const below = spans.filter(({ parentSpanId }) => parentSpanId === call.spanId)
  expect(below.length).toBeGreaterThan(0)
  expect(attributesOf(below[0] ?? call)).toMatchObject({ 'db.system.name': { stringValue: 'postgresql' } })

  // A request with a body: its statement is below it too.
  const refresh = only(spans, 'POST /service-open-api/oauth2/token')
  expect(attributesOf(refresh)).toMatchObject({ 'latchkey.event': { stringValue: 'token' } })
  for (const canary of ['canary-of-a-query', accessToken, partner.clientId, partner.clientSecret])
    expect(bodies.join()).not.toContain(canary)
})

function only(spans: Static<typeof Span>[], name: string): Static<typeof Span> {
  const found = spans.filter((span) => span.name === name)
  const [span] = found
  if (!span || found.length > 1) throw new Error(`${found.length} spans ${name}`)
  return span
}

function attributesOf({ attributes }: Static<typeof Span>): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value]))
}
