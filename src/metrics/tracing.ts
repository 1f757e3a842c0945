import {
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Context as TraceContext,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { DatabaseObserver } from '../database/database.ts'
import { loggedFacts } from '../http/log.ts'

// Loaded only if an exporter is configured: the SDK takes a tenth of a second to load, and costs time in every request.

export type TracingOptions = { serviceName: string; version: string; environment: string }

/** Spans of requests and of their database statements, sent to an OpenTelemetry collector (docs/monitor.md). */
export class Tracing {
  readonly #provider: NodeTracerProvider
  readonly #tracer: Tracer

  /** The exporter and the sampler read the variables `OTEL_…` of the OpenTelemetry specification. */
  constructor({ serviceName, version, environment }: TracingOptions) {
    this.#provider = new NodeTracerProvider({
      resource: resourceFromAttributes({
        'service.name': serviceName,
        'service.version': version,
        'deployment.environment.name': environment,
      }),
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    })
    this.#provider.register() // W3C Trace Context, and a context that follows asynchronous calls
    this.#tracer = this.#provider.getTracer('latchkey', version)
  }

  /**
   * One span for each request, below the caller's span if the request has a `traceparent`. Call it before routes are
   * registered.
   */
  traceRequests(app: FastifyInstance): void {
    const active = new WeakMap<FastifyRequest, { context: TraceContext; span: Span }>()
    app.addHook('onRequest', (request, _reply, done) => {
      const caller = propagation.extract(context.active(), request.headers, firstValue)
      const span = this.#tracer.startSpan(request.method, { kind: SpanKind.SERVER }, caller)
      const own = trace.setSpan(caller, span)
      active.set(request, { context: own, span })
      context.with(own, done)
    })
    // Node reads the body in the context of the connection. From here on, the request's context is the active one again.
    app.addHook('preValidation', (request, _reply, done) => {
      context.with(active.get(request)?.context ?? context.active(), done)
    })
    app.addHook('onResponse', (request, reply, done) => {
      const span = active.get(request)?.span
      const route = request.routeOptions.url
      span?.updateName(route ? `${request.method} ${route}` : request.method)
      span?.setAttributes({
        'http.request.method': request.method,
        ...(route && { 'http.route': route }),
        'http.response.status_code': reply.statusCode,
        'latchkey.request_id': request.id,
        ...outcomeAttributes(request),
      })
      if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
      span?.end()
      done()
    })
  }

  /** A span below that of the request. Statements of background jobs get none: each would be a separate trace. */
  readonly observeStatement: DatabaseObserver = (statement, workClass) => {
    if (!trace.getActiveSpan()) return () => {}
    const span = this.#tracer.startSpan(statement, {
      kind: SpanKind.CLIENT,
      attributes: {
        'db.system.name': 'postgresql',
        'db.query.summary': statement,
        'db.client.connection.pool.name': workClass,
      },
    })
    return (error) => {
      if (error) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', error)
      span.end()
    }
  }

  /** Sends the spans that wait. Never rejects: a collector that is away must not fail the end of the server. */
  async close(): Promise<void> {
    await this.#provider.shutdown().catch(() => {})
    for (const api of [trace, context, propagation]) api.disable()
  }
}

/** No ids of users or partners: traces often go to another company. */
function outcomeAttributes(request: FastifyRequest): Record<string, string> {
  const { event, outcome } = loggedFacts(request) ?? {}
  return { ...(event && { 'latchkey.event': event }), ...(outcome && { 'latchkey.outcome': outcome }) }
}

const firstValue: TextMapGetter<FastifyRequest['headers']> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name],
}
