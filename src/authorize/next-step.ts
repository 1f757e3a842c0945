import type { Session } from '../sessions/sessions.sql.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

export type NextStep =
  | { kind: 'login' }
  | { kind: 'connect'; session: Session }
  /** `prompt=none` with everything in place: the code goes out without a page. */
  | { kind: 'issue'; session: Session }
  /** What would need a page in spite of `prompt=none`, or another user (OpenID Connect Core section 3.1.2.6). */
  | { kind: 'answer'; error: 'login_required' | 'consent_required'; explanation: string }

/** The one place that decides what the browser sees next; every page of the flow returns to it. */
export function nextStep(request: AuthorizationRequest, session: Session | undefined, now: Date): NextStep {
  const silent = request.prompt.includes('none')
  if (!session || !isRecentEnough(request, session, now)) {
    return silent
      ? { kind: 'answer', error: 'login_required', explanation: 'The user must log in.' }
      : { kind: 'login' }
  }
  if (request.subject !== undefined && session.subject !== request.subject) {
    if (!silent && !isOfThisRequest(request, session)) return { kind: 'login' }
    const explanation = 'The id_token_hint belongs to another user than the one who is logged in.'
    return { kind: 'answer', error: 'login_required', explanation }
  }
  if (!silent) return { kind: 'connect', session }
  return session.has_grant
    ? { kind: 'issue', session }
    : {
        kind: 'answer',
        error: 'consent_required',
        explanation: 'The user must give consent on the connect page.',
      }
}

/** A login made for this very request always counts, or `max_age=0` would never end. */
function isRecentEnough(request: AuthorizationRequest, session: Session, now: Date): boolean {
  if (isOfThisRequest(request, session)) return true
  if (request.prompt.includes('login')) return false
  const age = now.getTime() - session.auth_time.getTime()
  return request.maxAge === undefined || age <= request.maxAge * 1000
}

function isOfThisRequest(request: AuthorizationRequest, session: Session): boolean {
  return session.auth_time.getTime() >= request.issuedAt
}
