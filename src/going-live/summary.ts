import type { InvitedDeveloper } from './open-request.ts'
import type { GoingLiveRequest } from './request.ts'

/** A request as the command and the admin API show it: all of it but the picture. */
export function summaryOf(request: GoingLiveRequest) {
  const { jti, iss, iat, exp, sandbox_client_id, sandbox_redirect_uris, requested_by } = request
  const { logo, jwks, ...partner } = request.partner
  return {
    id: jti,
    sandbox: iss,
    sandbox_client_id,
    sandbox_redirect_uris,
    requested_by,
    requested_at: new Date(iat * 1000).toISOString(),
    expires_at: new Date(exp * 1000).toISOString(),
    partner: { ...partner, has_logo: logo !== null, has_keys: jwks !== null },
    developers: request.developers,
    webhooks: request.webhooks,
    contact: request.contact,
    expected_volume: request.expected_volume,
    checks: request.checks,
  }
}

/** The developers who were invited, as the command and the admin API show them. The link is shown only this once. */
export function describeInvited(invited: InvitedDeveloper[]) {
  return invited.map(({ email, name, role, link }) => ({
    ...{ email, name, role, mailed: link?.isMailed ?? false },
    ...(link && { setup_url: link.link, expires_at: link.expiresAt }),
  }))
}
