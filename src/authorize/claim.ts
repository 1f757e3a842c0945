import type { FastifyReply, FastifyRequest } from 'fastify'
import { satisfies } from '../acr.ts'
import type { Context } from '../context.ts'
import {
  endPendingLogin,
  type PendingLogin,
  pendingLoginOf,
  updatePendingLogin,
} from '../factors/pending-login.ts'
import type { Evidence } from '../factors/prove.ts'
import type { FactorFacts } from '../login/factor-facts.sql.ts'
import {
  type AcrRequest,
  type FactorStep,
  factorStep,
  hasUnprovedFactor,
  mayChangeFactors,
  requiredAcr,
} from '../login/factor-step.ts'
import type { Login } from '../login/login.ts'
import { isRecent as isRecentLogin, liveSession, strengthen } from '../sessions/sessions.ts'
import { findAcrRequest, findLoginFacts } from './acr-request.ts'
import { openSession } from './finish-login.ts'
import { openPageRequest } from './page-request.ts'
import { type Destination, nextPage, reseal, type Unsealed, withDestination } from './sealed-request.ts'

export const claimPaths = ['/login/second-factor', '/step-up'] as const
export type ClaimPath = (typeof claimPaths)[number]

/** A user who has proved one part of a login and needs another: before the session, or because the session is too weak. */
export type Claim = {
  /** What is proved so far. */
  login: Login
  facts: FactorFacts
  acrRequest: AcrRequest
  step: Exclude<FactorStep, { kind: 'none' }>
  /** The owner of the challenges on its pages: this login or this session. */
  owner: string
  /** Whether the first part was proved in the last ten minutes. */
  isRecent: boolean
  /**
   * Records what the user has proved now. Opens or replaces the session if nothing is missing.
   * @returns the address of the next page
   */
  advance(login: Login, method: Evidence['method']): Promise<string>
}

type Exchange = {
  context: Context
  request: FastifyRequest
  reply: FastifyReply
  path: ClaimPath
  destination: Destination
}

/** The claim of this browser. A redirect if it has none or nothing is missing. */
export async function claimOf(
  exchange: Exchange,
): Promise<({ kind: 'claim' } & Claim) | { kind: 'redirect'; to: string }> {
  const { context, request, path } = exchange
  const { authorization } = openPageRequest(context, request)
  return path === '/step-up'
    ? claimOfSession(exchange, await findAcrRequest(context, authorization))
    : claimOfLogin(exchange, authorization)
}

type Found = ({ kind: 'claim' } & Claim) | { kind: 'redirect'; to: string }

async function claimOfLogin(exchange: Exchange, authorization: Unsealed): Promise<Found> {
  const { context, request, reply, destination } = exchange
  const pending = pendingLoginOf(context, request)
  const found = pending && (await findLoginFacts(context, pending.login, authorization))
  if (!pending || !found) return { kind: 'redirect', to: withDestination('/login', destination) }
  const { facts, acrRequest } = found
  const complete = async (login: Login) => {
    endPendingLogin(context, reply)
    return openSession(context, request, reply, { login, destination, stepUpOffered: true })
  }
  const step = factorStep(pending.login, facts, acrRequest)
  if (step.kind === 'none') return { kind: 'redirect', to: await complete(pending.login) }
  return {
    kind: 'claim',
    login: pending.login,
    facts,
    acrRequest,
    step,
    owner: pending.id,
    isRecent: true,
    advance: (login) => advanceLogin({ ...exchange, pending, facts, acrRequest, complete }, login),
  }
}

/** `acr_values` is voluntary: after any second factor, it is not asked for again. */
async function advanceLogin(
  exchange: Exchange & {
    pending: PendingLogin
    facts: FactorFacts
    acrRequest: AcrRequest
    complete(login: Login): Promise<string>
  },
  login: Login,
): Promise<string> {
  const { context, reply, path, destination, pending, facts, acrRequest, complete } = exchange
  const missing = factorStep(login, facts, { ...acrRequest, acrValues: [] })
  if (missing.kind === 'none') return complete(login)
  updatePendingLogin(context, reply, pending, login)
  return withDestination(path, destination)
}

async function claimOfSession(exchange: Exchange, acrRequest: AcrRequest): Promise<Found> {
  const { context, request, reply, destination } = exchange
  const session = await liveSession(request, context)
  if (!session) return { kind: 'redirect', to: withDestination('/login', destination) }
  const { user_id: userId, email, login_version: loginVersion, acr, amr } = session
  const login = { userId, email, loginVersion, acr, amr }
  const proceed = async () => {
    const { authorization } = openPageRequest(context, request)
    const resealed = await reseal(context, authorization, true)
    return nextPage(resealed ? { request: resealed } : destination)
  }
  const needed = factorStep(login, session, acrRequest)
  const isTooWeak =
    (destination.page === 'security' && !mayChangeFactors(login, session)) ||
    (destination.page === 'password' && hasUnprovedFactor(login, session))
  const step: FactorStep = needed.kind === 'none' && isTooWeak ? { kind: 'prove', optional: false } : needed
  if (step.kind === 'none') return { kind: 'redirect', to: await proceed() }
  // An attacker who finds the browser unlocked must not be able to set up a factor.
  const recent = isRecentLogin(session, context.now())
  if (step.kind === 'enrol' && !recent) {
    return { kind: 'redirect', to: withDestination('/login', destination) }
  }
  return {
    kind: 'claim',
    login,
    facts: session,
    acrRequest,
    step,
    owner: session.hash.toString('base64url'),
    isRecent: recent,
    async advance(stronger, method) {
      // Only a passkey authenticates again. A code is a second part of a login whose password may be hours old.
      const authTime = method === 'passkey' ? context.now() : null
      const isLive = await strengthen(context, request, reply, session, stronger, authTime)
      return isLive ? proceed() : withDestination('/login', destination)
    },
  }
}

/**
 * Whether this user may set up a factor now: something is required that the login does not reach, and the login is recent and
 * strong enough for a change.
 */
export function mayEnrol({ login, facts, acrRequest, isRecent }: Claim): boolean {
  const required = requiredAcr(facts, acrRequest)
  const lacks = required !== undefined && !satisfies(login, required)
  return lacks && isRecent && mayChangeFactors(login, facts)
}
