import type { Session } from '../sessions/sessions.sql.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

export type NextStep =
  | { kind: 'login' }
  | { kind: 'connect'; session: Session }
  /** `prompt=none` with everything in place: the code goes out without a page. */
  | { kind: 'issue'; session: Session }
  /** `prompt=none` that would need a page (OpenID Connect Core section 3.1.2.6). */
  | { kind: 'answer'; error: 'login_required' | 'consent_required'; explanation: string }

/** The one place that decides what the browser sees next; every page of the flow returns to it. */
export function nextStep(request: AuthorizationRequest, session: Session | undefined, now: Date): NextStep {
  const silent = request.prompt.includes('none')
  if (!session || !isRecentEnough(request, session, now)) {
    return silent
      ? { kind: 'answer', error: 'login_required', explanation: 'the user has to log in' }
      : { kind: 'login' }
  }
  if (!silent) return { kind: 'connect', session }
  return session.has_grant
    ? { kind: 'issue', session }
    : { kind: 'answer', error: 'consent_required', explanation: 'the user has to agree on the connect page' }
}

/** A login made for this very request always counts, or `max_age=0` would never end. */
function isRecentEnough(request: AuthorizationRequest, session: Session, now: Date): boolean {
  const loggedInAt = session.auth_time.getTime()
  if (loggedInAt >= request.issuedAt) return true
  if (request.prompt.includes('login')) return false
  return request.maxAge === undefined || now.getTime() - loggedInAt <= request.maxAge * 1000
}
