import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import {
  errorCodes,
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Config } from '../config.ts'
import { tokenLike } from '../secrets/token-format.ts'
import { limitConnections } from './connection-limits.ts'
import { parseJson } from './json.ts'
import { type Form, MalformedParameters, parseForm, rawQuery } from './parameters.ts'
import { requestLogger } from './request-logger.ts'
import { answerBadAddress, answerUnreadable } from './unreadable.ts'
import { validatorCompiler } from './validation.ts'

/** Milliseconds. If a request takes longer to arrive, its connection is closed. Fastify has no limit by default. */
const requestTimeout = 15_000

export function fastifyOptions(config: Config, logger: FastifyBaseLogger) {
  return {
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    bodyLimit: 64 * 1024,
    requestTimeout,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2000 },
    forceCloseConnections: 'idle',
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    childLoggerFactory: requestLogger,
    requestIdHeader: false,
    genReqId: requestId,
    frameworkErrors: answerBadAddress,
    clientErrorHandler: (error, socket) =>
      answerUnreadable(error, socket, { logger, baseUrl: config.baseUrl }),
    // Node's limit for headers is 16 kB, so this limit is never reached. An id that is too long is simply not found.
    routerOptions: { querystringParser: lenientQuery, maxParamLength: 16 * 1024 },
  } as const satisfies FastifyHttpOptions<Server>
}

/**
 * Headers of every answer. They are constant: @fastify/helmet sends the same ones, but computes them for each request,
 * which costs 4 % of an introspection. Content-Security-Policy is missing, because form targets differ: each page sends its
 * own.
 */
const securityHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0', // turns off a filter of old browsers, which attackers could misuse
}

/** Two years, in seconds. Not for subdomains: they may belong to other services. */
const strictTransport = { 'strict-transport-security': 'max-age=63072000' }

/** The rules for every request, before a route handles it. `hsts`: whether browsers must use https from now on. */
export function strictHttp(app: FastifyInstance, { hsts }: { hsts: boolean }): void {
  limitConnections(app)
  app.setValidatorCompiler(validatorCompiler)
  app.removeAllContentTypeParsers()
  const readAs = (read: (text: string) => unknown) => async (request: FastifyRequest, body: Buffer) =>
    read(bodyText(request, body))
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, readAs(parseForm))
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readAs(parseJson))

  const constant = { ...securityHeaders, ...(hsts && strictTransport) }
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(constant).header('x-api-request-id', request.id)
    done()
  })
  // Runs after all hooks that set headers, so that a refusal has these headers too.
  app.addHook('preParsing', async (request) => {
    if (request.query === malformed) parseForm(rawQuery(request.url))
    refuseAmbiguousHead(request.raw)
  })
}

/** Refuses requests that a proxy in front of Node may read differently from Node. */
function refuseAmbiguousHead({ httpVersion, headersDistinct }: IncomingMessage): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    throw new MalformedParameters('The request is not HTTP/1.1 or HTTP/1.0.')
  }
  // Node keeps only the first of several.
  for (const name of ['Authorization', 'Host']) {
    if ((headersDistinct[name.toLowerCase()]?.length ?? 0) > 1) {
      throw new MalformedParameters(`The ${name} header was sent more than once.`)
    }
  }
}

const malformed: Form = Object.freeze({})

/** The router cannot refuse a malformed query. The preParsing hook refuses it. */
function lenientQuery(text: string): Form {
  try {
    return parseForm(text)
  } catch {
    return malformed
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A body must be UTF-8. The server does not decompress, transcode or repair it. */
function bodyText({ headers }: FastifyRequest, body: Buffer): string {
  const charset = /;\s*charset\s*=\s*"?([^;"\s]*)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  const encoding = headers['content-encoding'] ?? 'identity'
  if (charset.toLowerCase() !== 'utf-8' || encoding.toLowerCase() !== 'identity') {
    throw new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE()
  }
  try {
    return utf8.decode(body)
  } catch {
    throw new MalformedParameters('The body is not UTF-8.')
  }
}

const acceptable = /^[A-Za-z0-9._~:+/=-]{1,128}$/

/**
 * The client's `X-API-Request-ID` if it is safe to echo and to log, otherwise a new one. A client may send a token by mistake:
 * the log, and everyone who may read it, must not get it.
 */
function requestId(request: IncomingMessage): string {
  const given = request.headers['x-api-request-id']
  return typeof given === 'string' && acceptable.test(given) && !tokenLike.test(given) ? given : randomUUID()
}
