import type { FastifyRequest } from 'fastify'
import type { Queries } from '../database/database.ts'
import { problemReason } from '../errors/catalogue.ts'
import { sha256 } from '../secrets/token-format.ts'
import type { Answer } from './answers.ts'
import type { Caller } from './api.ts'
import { claimIdempotencyKey, storeIdempotentAnswer } from './idempotency.sql.ts'

const pattern = /^[!-~]{16,128}$/

/** The Idempotency-Key of a request, with what it is compared by. */
export type IdempotencyKey = { actorId: string; hash: Buffer; digest: Buffer }

/** The same for requests of which only one may be carried out. */
export function turnOf({ actorId, hash }: IdempotencyKey): string {
  return `${actorId} ${hash.toString('hex')}`
}

/** @returns undefined if the request has none; `malformed` if it cannot be one */
export function idempotencyKeyOf(
  { method, url, body, headers }: FastifyRequest,
  caller: Caller,
): IdempotencyKey | 'malformed' | undefined {
  const text = headers['idempotency-key']
  if (text === undefined) return undefined
  if (typeof text !== 'string' || !pattern.test(text)) return 'malformed'
  const request = Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body ?? null)
  const digest = sha256(Buffer.concat([Buffer.from(`${method} ${url}\n`), Buffer.from(request)]))
  return { actorId: `${caller.kind} ${caller.id}`, hash: sha256(text), digest }
}

/**
 * Carries out a request once, inside the transaction of `queries`, which the caller commits unless the answer is a problem.
 * A repeated request gets the stored answer without secrets.
 */
export async function once(
  queries: Queries,
  { actorId, hash, digest }: IdempotencyKey,
  carryOut: () => Promise<Answer>,
): Promise<Answer> {
  const {
    is_same: isSame,
    status,
    location,
    body,
  } = await queries.one(claimIdempotencyKey, [actorId, hash, digest])
  if (!isSame) {
    const { code, explanation } = problemReason('other_request')
    return { kind: 'problem', code, detail: explanation }
  }
  if (status !== null) {
    const headers = { 'idempotency-replayed': 'true', ...(location !== null && { location }) }
    return { kind: 'json', status, body, headers }
  }
  const answer = await carryOut()
  if (answer.kind === 'json') {
    const { status, headers, body } = answer
    const values = [actorId, hash, status, headers?.location ?? null, JSON.stringify(body)]
    await queries.one(storeIdempotentAnswer, values)
  }
  return answer
}
