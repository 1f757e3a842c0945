import type { FastifyInstance, FastifyReply } from 'fastify'
import pLimit from 'p-limit'
import { pageOrigin } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import type { PasswordOwner } from '../directory/new-password.ts'
import { hasUnprovedFactor } from '../login/factor-step.ts'
import { browserOf, rememberBrowser } from '../login/known-browser.ts'
import { refusalStatus } from '../login/refusal.ts'
import Type, { type Static } from '../typebox.ts'
import { newSessionId, setSessionCookie } from '../web/cookies.ts'
import type { Web } from '../web/page-edge.tsx'
import { sendAccountPage } from './account-page.tsx'
import { type ChangeOutcome, changePassword } from './change-password.ts'
import { passwordOwner } from './password-owner.ts'
import { NoPassword, type Notice, PasswordForm } from './password-page.tsx'
import { findPasswordFacts, type Session } from './sessions.sql.ts'
import { liveSession } from './sessions.ts'

const ChangeForm = Type.Object({ current_password: Type.String(), new_password: Type.String() })

/**
 * How many password changes may wait. Changes run one at a time, because an import locks the users until it ends.
 * Changes that wait for the import in parallel would hold all database connections.
 */
const maxQueuedChanges = 16

/** For a session from before the second factor: its browser may be an attacker's, who knows the password. */
const stepUp = '/step-up?page=password'

/** The page on which users change their password. */
export function passwordRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const login = '/login?page=password'
  const changes = pLimit(1)

  const show = (address: string, notice?: Notice) =>
    app.get(address, async (request, reply) => {
      const session = await liveSession(request, context)
      if (!session) return reply.redirect(login, 303)
      return sendPage({ context, web, reply, session, notice })
    })
  show('/password')
  show('/password/changed', { kind: 'changed' })

  app.post<{ Body: Static<typeof ChangeForm> }>(
    '/password',
    { schema: { body: ChangeForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const session = await liveSession(request, context)
      if (!session) return reply.redirect(login, 303)
      if (hasUnprovedFactor(session, session)) return reply.redirect(stepUp, 303)
      const { current_password: current, new_password: next } = request.body
      const { id, hash } = newSessionId()
      const browser = browserOf(request, context.config)
      const owner = ownerOf(context, session)
      const origin = pageOrigin(request, session.user_id)
      const input = { current, next, owner, address: request.ip, browser, log: request.log }
      const outcome: ChangeOutcome =
        changes.pendingCount < maxQueuedChanges
          ? await changes(() => changePassword(context, origin, session, input, hash))
          : { kind: 'busy' }
      request.log.info({ event: 'change_password', outcome: outcome.kind, user_id: session.user_id })
      const page = { context, web, reply, session }
      switch (outcome.kind) {
        case 'changed':
          setSessionCookie(reply, context.config, id)
          rememberBrowser(reply, context.config, browser, outcome.proof)
          return reply.redirect('/password/changed', 303)
        case 'unfit':
          return sendPage({ ...page, status: 400, notice: outcome })
        case 'refused':
        case 'throttled':
        case 'busy':
          return sendPage({ ...page, status: refusalStatus(reply, outcome), notice: outcome })
        case 'conflict':
          return reply.redirect(login, 303)
      }
    },
  )
}

async function sendPage(content: {
  context: Context
  web: Web
  reply: FastifyReply
  session: Session
  status?: number
  notice?: Notice | undefined
}): Promise<FastifyReply> {
  const { context, notice, ...rest } = content
  const { reply, session } = rest
  const { config, database } = context
  const found = await database.one(findPasswordFacts, [session.user_id])
  const page = { ...rest, page: 'password' } as const
  if (!found.has_password || !found.local_passwords) {
    const way = !found.local_passwords ? 'none' : config.mail ? 'mail' : 'support'
    const missing = { email: session.email, way, supportUrl: config.brand.supportUrl } as const
    return sendAccountPage({
      ...page,
      body: (csrf, texts) => <NoPassword {...missing} csrf={csrf} texts={texts} />,
    })
  }
  if (hasUnprovedFactor(session, session)) return reply.redirect(stepUp, 303)
  const owner = ownerOf(context, session)
  return sendAccountPage({
    ...page,
    body: (csrf, texts) => <PasswordForm csrf={csrf} owner={owner} notice={notice} texts={texts} />,
  })
}

function ownerOf(context: Context, session: Session): PasswordOwner {
  const { user_name: name, email, has_passkey: hasPasskey, has_totp: hasTotp } = session
  return passwordOwner(context, { name, email, hasSecondFactor: hasPasskey || hasTotp })
}
