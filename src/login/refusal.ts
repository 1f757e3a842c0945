import type { FastifyReply } from 'fastify'
import type { Texts } from '../web/languages/languages.ts'
import type { LoginRefusal } from './log-in.ts'

/** The HTTP status of a page that refuses a password. Sets `Retry-After` if the user should wait. */
export function refusalStatus(reply: FastifyReply, refusal: LoginRefusal): number {
  switch (refusal.kind) {
    case 'refused':
      return 403
    case 'throttled':
      reply.header('retry-after', String(refusal.retryAfterSeconds))
      return 429
    case 'busy':
      reply.header('retry-after', '5')
      return 503
  }
}

/** The text that says why the password was not checked. */
export function pauseText(
  pause: Extract<LoginRefusal, { kind: 'throttled' | 'busy' }>,
  { login }: Texts,
): string {
  return pause.kind === 'busy' ? login.busy : login.throttled(Math.ceil(pause.retryAfterSeconds / 60))
}
