import type { Context } from '../context.ts'
import type { Wishes } from '../login/factor-step.ts'
import { findPartner, type Partner } from '../partners/partners.sql.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import type { Unsealed } from './sealed-request.ts'

/** What a partner and its request want of a login. After a step-up that was offered once, `acr_values` no longer counts. */
export function wishesOfRequest(
  { acrValues, stepUpOffered }: AuthorizationRequest,
  partner: Pick<Partner, 'require_acr'> | undefined,
): Wishes {
  return { partnerRequires: partner?.require_acr, acrValues: stepUpOffered ? [] : acrValues }
}

/** As `wishesOfRequest`. A login that no partner asked for has no wishes. An expired request may still go on (`reseal`). */
export async function wishesOf({ database }: Context, authorization: Unsealed): Promise<Wishes> {
  if (authorization.kind === 'invalid') return {}
  const { request } = authorization
  return wishesOfRequest(request, await database.maybe(findPartner, [request.clientId]))
}
