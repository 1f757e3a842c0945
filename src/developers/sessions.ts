import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { DeveloperRole } from '../developer-keys/roles.ts'
import { type Person, personOfRow, personSessionHash } from '../people/sessions.ts'
import { findDeveloperSession } from './sessions.sql.ts'

/** An application, and what the developer may do with it. */
export type MemberApp = { clientId: string; name: string; role: DeveloperRole }

/** A developer who is logged in. */
export type Developer = Person & {
  /** The application that the address of the page names. Absent: the developer is not a member of it, or there is none. */
  app?: MemberApp
}

/** The developer who is logged in in this browser. @throws {DatabaseUnavailable} */
export async function developerOf(request: FastifyRequest, context: Context): Promise<Developer | undefined> {
  const hash = personSessionHash(request, context, 'developer')
  const values = hash && [hash, clientIdOf(request)]
  const session = values ? await context.database.maybe(findDeveloperSession, values) : undefined
  if (!hash || !session) return undefined
  return { ...personOfRow(hash, session), ...(session.app && { app: session.app }) }
}

/** The part `:client_id` of the address. PostgreSQL's text type cannot store NUL, which no client id has. */
function clientIdOf({ params }: FastifyRequest): string | null {
  if (typeof params !== 'object' || params === null || !('client_id' in params)) return null
  const { client_id: clientId } = params
  return typeof clientId === 'string' && !clientId.includes('\0') ? clientId : null
}
