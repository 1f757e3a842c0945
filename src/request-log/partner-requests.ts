import type { Database } from '../database/database.ts'
import { errorPageAddress, publicCause } from '../errors/catalogue.ts'
import type { RequestRow } from './requests.sql.ts'
import { findRows, type RequestPage } from './requests.ts'

export type PartnerRequestFilter = {
  /** `X-API-Request-ID`. The caller chooses it: there may be several calls with the same id. */
  requestId?: string | undefined
  /** `sub`: the user as the partner knows it. */
  subject?: string | undefined
  grantId?: string | undefined
  /** `401`, `4xx`, or `refused` for all from 400 on. */
  status?: string | undefined
  route?: string | undefined
  since?: Date | undefined
  until?: Date | undefined
}

/**
 * A call as its partner may see it. The platform's id of the user is left out: each partner knows the same user by another
 * subject, so that two partners cannot find out that they have a user in common.
 */
export type PartnerRequest = Pick<
  RequestRow,
  | 'at'
  | 'place'
  | 'request_id'
  | 'method'
  | 'route'
  | 'status'
  | 'ms'
  | 'code'
  | 'authenticated'
  | 'grant_id'
  | 'subject'
  | 'detail'
> & {
  /** What the error is. Null: the call was not refused. */
  title: string | null
  cause: string | null
  remedy: string | null
  /** The page of the error in the docs. */
  error_page: string | null
}

export type PartnerRequests =
  | { kind: 'requests'; requests: PartnerRequest[] }
  | { kind: 'refused'; reason: string }

/** Calls of one partner in the last days, newest first. `baseUrl` is where the pages of the errors are. */
export async function requestsOfPartner(
  database: Database,
  baseUrl: string,
  clientId: string,
  filter: PartnerRequestFilter,
  page: RequestPage,
): Promise<PartnerRequests> {
  const found = await findRows(database, { ...filter, clientId }, page)
  if (found.kind === 'refused') return found
  return { kind: 'requests', requests: found.requests.map((row) => forPartner(row, baseUrl)) }
}

function forPartner(row: RequestRow, baseUrl: string): PartnerRequest {
  const { at, place, request_id, method, route, status, ms, code, authenticated, grant_id, subject, detail } =
    row
  const known = code === '' ? undefined : publicCause(code, row.outcome)
  return {
    ...{ at, place, request_id, method, route, status, ms, code, authenticated, grant_id, subject, detail },
    title: known?.title ?? null,
    cause: known?.cause ?? null,
    remedy: known?.remedy ?? null,
    error_page: known ? errorPageAddress(baseUrl, known.code, known.anchor) : null,
  }
}
