import type { Context } from '../context.ts'
import type { AcrRequest } from '../login/factor-step.ts'
import { findPartner, type Partner } from '../partners/partners.sql.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import type { Unsealed } from './sealed-request.ts'

/** What a partner and its request want of a login. After a step-up that was offered once, `acr_values` no longer counts. */
export function acrRequestOf(
  { acrValues, stepUpOffered }: AuthorizationRequest,
  partner: Pick<Partner, 'require_acr'> | undefined,
): AcrRequest {
  return { partnerRequires: partner?.require_acr, acrValues: stepUpOffered ? [] : acrValues }
}

/** As `acrRequestOf`. A login that no partner asked for has none. An expired request may still go on (`reseal`). */
export async function findAcrRequest({ database }: Context, authorization: Unsealed): Promise<AcrRequest> {
  if (authorization.kind === 'invalid') return {}
  const { request } = authorization
  return acrRequestOf(request, await database.maybe(findPartner, [request.clientId]))
}
