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
import { limitConnections } from './connection-limits.ts'
import { parseJson } from './json.ts'
import { type Form, MalformedParameters, parseForm, rawQuery } from './parameters.ts'
import { answerBadAddress, answerUnreadable } from './unreadable.ts'
import { validatorCompiler } from './validation.ts'

/** Milliseconds. A request has to arrive in this time, or its connection is closed; Fastify's own default is never. */
const requestTimeout = 15_000

export function fastifyOptions(config: Config, logger: FastifyBaseLogger) {
  return {
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    bodyLimit: 64 * 1024,
    requestTimeout,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2000 },
    forceCloseConnections: 'idle',
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    requestIdHeader: false,
    genReqId: requestId,
    frameworkErrors: answerBadAddress,
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, logger),
    // The length of a parameter is bounded by Node's 16 kB of headers; an id that is too long is one that is not found.
    routerOptions: { querystringParser: lenientQuery, maxParamLength: 16 * 1024 },
  } as const satisfies FastifyHttpOptions<Server>
}

/** What is true of every request before any slice sees it. */
export function strictHttp(app: FastifyInstance): void {
  limitConnections(app)
  app.setValidatorCompiler(validatorCompiler)
  app.removeAllContentTypeParsers()
  const readAs = (read: (text: string) => unknown) => async (request: FastifyRequest, body: Buffer) =>
    read(bodyText(request, body))
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, readAs(parseForm))
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readAs(parseJson))

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-api-request-id', request.id)
    done()
  })
  // After every edge has set its headers, so that a refusal carries them too.
  app.addHook('preParsing', async (request) => {
    if (request.query === malformed) parseForm(rawQuery(request.url))
    refuseAmbiguousHead(request.raw)
  })
}

/** What Node reads in one way and a proxy in front of it may read in another. */
function refuseAmbiguousHead({ httpVersion, headersDistinct }: IncomingMessage): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    throw new MalformedParameters('the request is not HTTP/1.1 or HTTP/1.0')
  }
  // Of several, Node keeps the first.
  for (const name of ['Authorization', 'Host']) {
    if ((headersDistinct[name.toLowerCase()]?.length ?? 0) > 1) {
      throw new MalformedParameters(`the ${name} header was sent more than once`)
    }
  }
}

const malformed: Form = Object.freeze({})

/** The router cannot answer for a malformed query; the hook refuses it. */
function lenientQuery(text: string): Form {
  try {
    return parseForm(text)
  } catch {
    return malformed
  }
}

/** A body is plain UTF-8: nothing is inflated, transcoded or repaired. */
function bodyText({ headers }: FastifyRequest, body: Buffer): string {
  const charset = /;\s*charset\s*=\s*"?([^;"\s]*)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  const encoding = headers['content-encoding'] ?? 'identity'
  if (charset.toLowerCase() !== 'utf-8' || encoding.toLowerCase() !== 'identity') {
    throw new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE()
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new MalformedParameters('the body is not UTF-8')
  }
}

const acceptable = /^[A-Za-z0-9._~:+/=-]{1,128}$/

/** The caller's `X-API-Request-ID` where it is safe to echo and to log, otherwise one of our own. */
function requestId(request: IncomingMessage): string {
  const given = request.headers['x-api-request-id']
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID()
}
