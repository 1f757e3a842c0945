import { expect } from 'vitest'
import { Compile } from '../../src/typebox.ts'
import { type EventType, eventDocs, eventTypes } from '../../src/webhooks/event-types.ts'
import { type Issued, tokensFor } from './connection.ts'
import { query } from './database.ts'
import { seed } from './directory.ts'
import type { TestPartner, TestServer } from './server.ts'

/** An endpoint of the partner, without a receiver. @returns its id */
export async function endpointOf(
  { database }: Pick<TestServer, 'database'>,
  { clientId }: Pick<TestPartner, 'clientId'>,
  types: readonly EventType[] = eventTypes,
): Promise<string> {
  const [row] = await query<{ id: string }>(
    database,
    `INSERT INTO webhook_endpoints (client_id, url, events) VALUES ($1, 'https://partner.example/hooks', $2) RETURNING id`,
    [clientId, types],
  )
  return row?.id ?? ''
}

export type WrittenEvent = { type: string; grant_id: string | null; data: Record<string, unknown> }

/**
 * The events that were written, in their order. `userId`: only those of grants of this user, also of a user who was deleted.
 */
export function eventsOf(
  { database }: Pick<TestServer, 'database'>,
  { clientId, subject }: { clientId?: string; subject?: string } = {},
): Promise<WrittenEvent[]> {
  return query<WrittenEvent>(
    database,
    `SELECT m.type, m.grant_id, m.data FROM webhook_messages m JOIN webhook_endpoints e ON e.id = m.endpoint_id
      WHERE ($1::text IS NULL OR e.client_id = $1) AND ($2::text IS NULL OR m.data->>'subject' = $2) ORDER BY m.place`,
    [clientId ?? null, subject ?? null],
  )
}

/** The subject by which the partner knows the user. */
export async function subjectOf(
  { database }: Pick<TestServer, 'database'>,
  { clientId }: Pick<TestPartner, 'clientId'>,
  userId: string,
): Promise<string> {
  const [row] = await query<{ subject: string }>(
    database,
    'SELECT subject FROM grants WHERE user_id = $1 AND client_id = $2 LIMIT 1',
    [userId, clientId],
  )
  if (!row) throw new Error(`${userId} has no grant`)
  return row.subject
}

const schemas = new Map<string, ReturnType<typeof Compile>>(
  eventDocs.map(({ type, data }) => [type, Compile(data)]),
)

/** Throws unless each event has the shape that the documentation describes, and no other field. */
export function checkedEvents(events: WrittenEvent[]): void {
  for (const { type, data } of events) {
    const schema = schemas.get(type)
    const described = eventDocs.find((each) => each.type === type)?.data.properties ?? {}
    const unknown = Object.keys(data).filter((name) => !(name in described))
    if (schema?.Check(data) && unknown.length === 0) continue
    throw new Error(`${type} ${JSON.stringify(data)}: ${JSON.stringify(schema?.Errors(data))} ${unknown}`)
  }
}

export type ConnectedUser = Issued & { id: string; grantId: string; told(): Promise<WrittenEvent[]> }

/** New users, each with the first tokens of a connection with the partner. `told` are the events since then. */
export function connectingUsers(server: TestServer): (partner: TestPartner) => Promise<ConnectedUser> {
  let users = 0
  return async (partner) => {
    const id = `u${users++}`
    await seed(server.database, { users: [id] })
    const tokens = await tokensFor(server, partner, id)
    const subject = await subjectOf(server, partner, id)
    const [created] = await eventsOf(server, { subject })
    const told = async () => {
      const events = await eventsOf(server, { subject })
      expect(events.map((event) => event.grant_id)).toEqual(events.map(() => created?.grant_id ?? null))
      checkedEvents(events)
      return events.filter(({ type }) => type !== 'grant.created') // the purge may have deleted it
    }
    return { id, ...tokens, grantId: created?.grant_id ?? '', told }
  }
}

/** The row of a user for `users.csv`. */
export const userRow = (id: string, { firm = 'firm-1', status = 'active' } = {}) =>
  `${id},${firm},${id}@example.com,${id},sees-firm,${status},\n`

// What an event says at least.
export const revoked = (by: string, reason: string) => ({ type: 'grant.revoked', data: { by, reason } })
export const ended = (cause: string) => ({ type: 'connection.ended', data: { cause } })
