import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Context } from '../context.ts'
import { sendPublic } from '../http/send-public.ts'
import type { Web } from '../web/page-edge.tsx'
import { CurrentStatus, type Status } from './current-status.ts'
import { heartbeatSeconds } from './heartbeat.sql.ts'
import { RenderedStatus } from './rendered-status.tsx'

/** Seconds for which caches may keep the document, and after which a client may ask again. */
const maxAge = 10

/** `{auth_url}/status` for people and `/status.json` for programs, both without a login. */
export function statusRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const currentStatus = new CurrentStatus(context)
  const rendered = new RenderedStatus()

  app.get('/status', async (request, reply) => {
    const current = await currentStatus.read()
    const texts = web.texts(request)
    const body = rendered.bodyOf(current, texts)
    const status = statusCode(current, reply)
    return web.page({ reply, texts, status, title: texts.status.title, body, wide: true, localTimes: true })
  })

  app.get('/status.json', async (_request, reply) => {
    const current = await currentStatus.read()
    reply.status(statusCode(current, reply))
    const { status, report } = current
    return sendPublic(reply, maxAge, { status, heartbeat_seconds: heartbeatSeconds, ...report })
  })
}

/** 503 also with a page full of figures, so that programs that read only the status code see the outage. */
function statusCode({ status }: Status, reply: FastifyReply): 200 | 503 {
  if (status === 'available') return 200
  reply.header('retry-after', String(maxAge))
  return 503
}
