import type { FastifyInstance, FastifyRequest } from 'fastify'
import { originOf } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { allowOnly, apiEdge, sendProblem } from '../http/api-edge.ts'
import { logOnce } from '../http/log.ts'
import { reportLeak } from './leaked-credentials.ts'
import {
  type FoundSecret,
  KeysUnavailable,
  NotAReport,
  readReport,
  SecretScanning,
} from './secret-scanning.ts'

const bodyLimit = 1024 * 1024

/** Characters of an address in the audit log. */
const maxSource = 500

/**
 * `POST {auth_url}/leaked-credentials/github`: reports of GitHub's secret scanning partner programme, if they are configured.
 */
export async function secretScanningRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const { secretScanningKeysUrl } = context.config
  if (secretScanningKeysUrl === undefined) return
  const scanning = new SecretScanning(secretScanningKeysUrl, context.now)
  await app.register(async (reports) => serveReports(reports, context, scanning), {
    prefix: '/leaked-credentials',
  })
}

function serveReports(app: FastifyInstance, context: Context, scanning: SecretScanning): void {
  const { config, database, keys } = context
  apiEdge(app)
  // The signature is over the bytes of the body.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body)
  app.post('/github', { bodyLimit }, async (request, reply) => {
    const { headers, body } = request
    const keyId = String(headers['github-public-key-identifier'] ?? '')
    const signature = String(headers['github-public-key-signature'] ?? '')
    const isSigned =
      Buffer.isBuffer(body) && (await scanning.isSigned(body, keyId, signature).catch(unlessKnown))
    if (isSigned === undefined) {
      logOnce(request, { event: 'leak_report', outcome: 'keys_unavailable' })
      return sendProblem(
        reply,
        'unavailable',
        'The keys of the secret scanner cannot be read now. Send the report again.',
      )
    }
    if (!isSigned) {
      logOnce(request, { event: 'leak_report', outcome: 'not_signed' })
      return sendProblem(reply, 'bad_request', 'The report is not signed by a key of the secret scanner.')
    }
    const found = reportOf(body)
    if (!found) return sendProblem(reply, 'bad_request', 'The report is not a JSON list of found secrets.')
    const origin = originOf(request, 'api', { kind: 'secret_scanner', id: 'github' })
    for (const { token, url } of found) {
      await reportLeak({ database, config, keys }, origin, { text: token, source: url?.slice(0, maxSource) })
    }
    logOnce(request, { event: 'leak_report', outcome: 'accepted' })
    return reply.header('cache-control', 'no-store').send([])
  })
  allowOnly(app, ['POST'], '/github')
}

/** Undefined: the keys of the scanner cannot be read. */
function unlessKnown(error: unknown): undefined {
  if (!(error instanceof KeysUnavailable)) throw error
}

function reportOf(body: Buffer): FoundSecret[] | undefined {
  try {
    return readReport(body)
  } catch (error) {
    if (error instanceof NotAReport) return undefined
    throw error
  }
}
