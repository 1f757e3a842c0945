import type { Context } from '../context.ts'
import { type FactorFacts, findFactorFacts } from '../login/factor-facts.sql.ts'
import type { AcrRequest } from '../login/factor-step.ts'
import type { Login } from '../login/login.ts'
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

/** What decides whether a login lacks a second factor (`factorStep`). Undefined: `findFactorFacts` has no row. */
export async function findLoginFacts(
  { database }: Context,
  { userId, loginVersion }: Login,
  authorization: Unsealed,
): Promise<{ facts: FactorFacts; acrRequest: AcrRequest } | undefined> {
  const request = authorization.kind === 'invalid' ? undefined : authorization.request
  const facts = await database.maybe(findFactorFacts, [userId, loginVersion, request?.clientId ?? null])
  if (!facts) return undefined
  const acrRequest = request ? acrRequestOf(request, { require_acr: facts.partner_require_acr }) : {}
  return { facts, acrRequest }
}
