import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { type Person, personOfRow, personSessionHash } from '../people/sessions.ts'
import { type Actor, type Role, scopesOf } from './scopes.ts'
import { findOperatorSession } from './sessions.sql.ts'

/** An operator who is logged in. */
export type Operator = Actor & Person & { kind: 'operator'; role: Role }

/** The operator who is logged in in this browser. @throws {DatabaseUnavailable} */
export async function operatorOf(request: FastifyRequest, context: Context): Promise<Operator | undefined> {
  const hash = personSessionHash(request, context, 'operator')
  const session = hash ? await context.database.maybe(findOperatorSession, [hash]) : undefined
  if (!hash || !session) return undefined
  const { role } = session
  return { ...personOfRow(hash, session), kind: 'operator', role, scopes: scopesOf(role) }
}
