import type { Database } from '../database/database.ts'
import { errorCause, errorPageAddress } from '../errors/catalogue.ts'
import {
  findRequests,
  listRefusedRequests,
  listRefusedRequestsOfPartner,
  listRequestsOfGrants,
  type RequestRow,
} from './requests.sql.ts'

export type RequestFilter = {
  /** The caller chooses it: there may be several calls with the same id. */
  requestId?: string | undefined
  clientId?: string | undefined
  userId?: string | undefined
  grantId?: string | undefined
  /** By which the partner knows the user. Only with `clientId`. */
  subject?: string | undefined
  /** `401`, `4xx`, or `refused` for all from 400 on. */
  status?: string | undefined
  /** As in a row. */
  route?: string | undefined
  since?: Date | undefined
  until?: Date | undefined
}

/** A part of the list. `after` is the `place` of the last row that the reader has; null at the beginning. */
export type RequestPage = { after: string | null; limit: number }

export type RequestsOutcome =
  | { kind: 'requests'; requests: ExplainedRequest[] }
  | { kind: 'refused'; reason: string }

/** A call, and in words: who made it, what it was, and why it was refused. */
export type ExplainedRequest = Omit<RequestRow, 'subject'> & {
  explanation: string
  error_page: string | null
}

export type Rows = { kind: 'requests'; requests: RequestRow[] } | { kind: 'refused'; reason: string }

/** Calls of the last days, newest first. `baseUrl` is where the pages of the errors are. */
export async function listRequests(
  database: Database,
  baseUrl: string,
  filter: RequestFilter,
  page: RequestPage,
): Promise<RequestsOutcome> {
  const found = await findRows(database, filter, page)
  if (found.kind === 'refused') return found
  return { kind: 'requests', requests: found.requests.map((row) => explainRequest(row, baseUrl)) }
}

/** The rows of a list, for those who may see all of it. */
export async function findRows(
  database: Database,
  filter: RequestFilter,
  { after, limit }: RequestPage,
): Promise<Rows> {
  const { requestId, clientId = null, userId = null, grantId = null, subject = null, route = null } = filter
  const statuses = statusesOf(filter.status)
  if (!statuses) return refused('A status is a number such as 401, a class such as 4xx, or refused.')
  if (grantId !== null && !/^\d{1,18}$/.test(grantId)) return { kind: 'requests', requests: [] }
  const part = [filter.since ?? null, endOf(after, filter.until), ...statuses, limit]
  const run = async (rows: Promise<RequestRow[]>): Promise<Rows> => ({
    kind: 'requests',
    requests: await rows,
  })
  const { expensive } = database
  if (requestId !== undefined) return run(expensive.run(findRequests, [...part, requestId, clientId, route]))
  const ofOneUser = userId !== null || grantId !== null || subject !== null
  if (statuses[0] >= 400 && !ofOneUser) {
    return run(
      clientId === null
        ? expensive.run(listRefusedRequests, [...part, route])
        : expensive.run(listRefusedRequestsOfPartner, [...part, clientId, route]),
    )
  }
  if (!ofOneUser && clientId === null)
    return refused('Name a partner, a user, a grant or a request id, or ask for refused calls only.')
  return run(expensive.run(listRequestsOfGrants, [...part, userId, clientId, grantId, subject, route]))
}

/** Before which place the rows are: of the last row of the page before, or of an instant. Both have the same order as text. */
function endOf(after: string | null, until: Date | undefined): string | null {
  const place = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/.test(after ?? '') ? after : null
  const end = until ? `${until.toISOString().slice(0, -1).replace('T', ' ')}000` : null
  if (place === null || end === null) return place ?? end
  return place < end ? place : end
}

function refused(reason: string): Rows & { kind: 'refused' } {
  return { kind: 'refused', reason }
}

/** The lowest and the highest status. */
function statusesOf(text: string | undefined): [number, number] | undefined {
  if (text === undefined) return [0, 999]
  if (text === 'refused') return [400, 999]
  if (/^[1-5]xx$/.test(text)) return [Number(text[0]) * 100, Number(text[0]) * 100 + 99]
  return /^[1-5]\d\d$/.test(text) ? [Number(text), Number(text)] : undefined
}

function explainRequest({ subject: _, ...row }: RequestRow, baseUrl: string): ExplainedRequest {
  const { code, outcome } = row
  const known = code === '' ? undefined : errorCause(code, outcome)
  return {
    ...row,
    explanation: [who(row), what(row), ...why(row, known)].join(' '),
    error_page: known ? errorPageAddress(baseUrl, known.code, known.anchor) : null,
  }
}

type Explained = Omit<RequestRow, 'subject'>

function who(row: Explained): string {
  const { grant_id: grant, user_id: user, client_id: client, partner_name: name, authenticated } = row
  const partner = name === null ? `the client_id ${client}, which is not registered` : `${name} (${client})`
  if (grant !== null && user !== null) return `${partner} called for the user ${user} (grant ${grant}).`
  if (grant !== null) return `The call was made with grant ${grant}, whose user or partner no longer exists.`
  if (client === null)
    return 'The caller is not known: it presented no valid access token or client credential.'
  return authenticated ? `${partner} called.` : `The caller named ${partner}, but did not prove its identity.`
}

function what({ method, route, status, ms }: Explained): string {
  const address = route === '' ? 'an address that does not exist' : route
  return `It sent ${method} to ${address}, and got ${status} after ${ms} ms.`
}

function why({ status, detail }: Explained, known: ReturnType<typeof errorCause>): string[] {
  if (status < 400 && detail === null) return ['It was not refused.']
  const reason = known ? `${known.title}.` : ''
  return [
    `Reason: ${reason} ${detail ?? ''}`.trim(),
    ...(known?.remedy ? [`What to do: ${known.remedy}`] : []),
  ]
}
