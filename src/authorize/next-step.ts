import { type AcrRequest, factorStep } from '../login/factor-step.ts'
import type { Session } from '../sessions/sessions.sql.ts'
import {
  type AuthorizationFault,
  type AuthorizationRequest,
  authorizationFault,
} from './authorization-request.ts'

export type NextStep =
  | { kind: 'login' }
  /** The session lacks a second factor that is required or, once, preferred. */
  | { kind: 'step-up' }
  | { kind: 'connect'; session: Session }
  /** `prompt=none`, and the user has a session and a grant: the code is issued without a page. */
  | { kind: 'issue'; session: Session }
  /** `prompt=none` but a page is needed, or the wrong user is logged in (OpenID Connect Core section 3.1.2.6). */
  | { kind: 'answer'; fault: AuthorizationFault }

/** Decides what the browser gets next. Every page of the flow leads back to this decision. */
export function nextStep(
  request: AuthorizationRequest,
  session: Session | undefined,
  acrRequest: AcrRequest,
  now: Date,
): NextStep {
  const silent = request.prompt.includes('none')
  if (!session || !isRecentEnough(request, session, now)) {
    return silent ? answer('no_session') : { kind: 'login' }
  }
  if (request.subject !== undefined && session.subject !== request.subject) {
    if (!silent && !isOfThisRequest(request, session)) return { kind: 'login' }
    return answer('other_user')
  }
  const factor = factorStep(session, session, acrRequest)
  if (factor.kind === 'enrol' || (factor.kind === 'prove' && !factor.optional)) {
    return silent ? answer('no_second_factor') : { kind: 'step-up' }
  }
  if (!silent) return factor.kind === 'prove' ? { kind: 'step-up' } : { kind: 'connect', session }
  return session.has_grant ? { kind: 'issue', session } : answer('no_consent')
}

function answer(reason: 'no_session' | 'no_second_factor' | 'other_user' | 'no_consent'): NextStep {
  return { kind: 'answer', fault: authorizationFault(reason) }
}

/** A login for this request is always recent enough. Otherwise `max_age=0` would request a login again and again. */
function isRecentEnough(request: AuthorizationRequest, session: Session, now: Date): boolean {
  if (isOfThisRequest(request, session)) return true
  if (request.prompt.includes('login')) return false
  if (request.maxAge === undefined) return true
  const age = now.getTime() - session.auth_time.getTime()
  return session.auth_time_is_known && age <= request.maxAge * 1000
}

/**
 * A login through a provider counts for the request for which it happened, even if the provider's clock differs: its callback
 * has checked `prompt` and `max_age`. It counts for another request only by the time of the authentication. A session at the
 * provider may be hours old, and must not count as a login for a request of a minute ago.
 */
function isOfThisRequest(request: AuthorizationRequest, session: Session): boolean {
  if (session.request_id === request.id) return true
  return session.auth_time_is_known && session.auth_time.getTime() >= request.issuedAt
}
