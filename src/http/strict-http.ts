import type { Server } from 'node:http'
import { type FastifyHttpOptions, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import type { Config } from '../config.ts'
import { type Form, MalformedParameters, parseForm, rawQuery } from './parameters.ts'
import { requestId } from './request-id.ts'
import { validatorCompiler } from './validation.ts'

/** Milliseconds. A request has to arrive in this time, or its connection is closed; Fastify's own default is never. */
const requestTimeout = 15_000

export function fastifyOptions(config: Config) {
  return {
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    bodyLimit: 64 * 1024,
    requestTimeout,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2000 },
    forceCloseConnections: 'idle',
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    requestIdHeader: false,
    genReqId: requestId,
    routerOptions: { querystringParser: lenientQuery, maxParamLength: 200 },
  } as const satisfies FastifyHttpOptions<Server>
}

/** What is true of every request before any slice sees it. */
export function strictHttp(app: FastifyInstance): void {
  app.setValidatorCompiler(validatorCompiler)
  app.removeAllContentTypeParsers()
  const utf8Only = (contentType: string | undefined) => {
    const charset = /;\s*charset\s*=\s*"?([^;"\s]*)/i.exec(contentType ?? '')?.[1]
    return charset === undefined || charset.toLowerCase() === 'utf-8'
  }
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => parseForm(body),
  )
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => parseJson(body),
  )

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-api-request-id', request.id)
    parseForm(rawQuery(request.url))
    if (!utf8Only(request.headers['content-type'])) throw new MalformedParameters('the only charset is utf-8')
  })
  app.addHook('onResponse', async (request, reply) => {
    // The route, not the address: addresses carry what partners and users send.
    request.log.info({
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    })
  })
}

/** The router cannot answer for a malformed query; the first hook refuses it. */
function lenientQuery(text: string): Form {
  try {
    return parseForm(text)
  } catch {
    return {}
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new MalformedParameters('the body is not valid JSON')
  }
}
