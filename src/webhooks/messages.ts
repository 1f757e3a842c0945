import { type Origin, originValue } from '../audit/origin.ts'
import type { Database, Value } from '../database/database.ts'
import { type EndpointName, findEndpoint, isUuid, type WebhookContext } from './endpoints.ts'
import {
  findMessageRow,
  insertTestMessage,
  listMessageRows,
  type Message,
  type MessageDetails,
  type messageStates,
  mostWaitingTests,
  replayMessageRows,
  resendMessageRow,
} from './messages.sql.ts'

export type MessageState = (typeof messageStates)[number]

export type MessageFilter = {
  endpointId?: string | undefined
  state?: MessageState | undefined
  type?: string | undefined
  grantId?: string | undefined
  since?: Date | undefined
}

/** A part of the list. `after` is the id of the last message that the reader has; null at the beginning. */
export type MessagePage = { after: string | null; limit: number }

/** Messages of a partner, newest first. */
export async function listMessages(
  database: Database,
  clientId: string,
  { endpointId, state, type, grantId, since }: MessageFilter,
  { after, limit }: MessagePage,
): Promise<Message[]> {
  if ([endpointId, after].some((id) => typeof id === 'string' && !isUuid(id))) return []
  if (grantId !== undefined && !/^\d{1,18}$/.test(grantId)) return []
  const filter = [endpointId ?? null, state ?? null, type ?? null, grantId ?? null, since ?? null]
  const values = [clientId, ...filter, after, limit]
  return database.expensive.run(listMessageRows, values)
}

/** A message with its attempts. Undefined: the partner has no such message. */
export async function findMessage(
  database: Database,
  clientId: string,
  id: string,
): Promise<MessageDetails | undefined> {
  const uuid = messageUuid(id)
  return uuid === undefined ? undefined : database.maybe(findMessageRow, [clientId, uuid])
}

export type TestEvent =
  | { kind: 'sent'; messageId: string }
  | { kind: 'unknown' }
  /** `fault`: a sentence for the partner. */
  | { kind: 'refused'; fault: string }

/** Writes an event `webhook.test`, which the worker delivers like every other event. */
export async function sendTestEvent(
  { database }: Pick<WebhookContext, 'database'>,
  origin: Origin,
  { clientId, id }: EndpointName,
): Promise<TestEvent> {
  if (!isUuid(id)) return { kind: 'unknown' }
  const row = await database.maybe(insertTestMessage, [clientId, id, originValue(origin)])
  if (row) return { kind: 'sent', messageId: row.id }
  const endpoint = await findEndpoint(database, clientId, id)
  if (!endpoint) return { kind: 'unknown' }
  const fault =
    endpoint.status === 'disabled'
      ? 'The endpoint is disabled. Enable it first.'
      : `${mostWaitingTests} test events of this endpoint wait already. Send one after they are delivered.`
  return { kind: 'refused', fault }
}

/** Delivers a message again, with the same id and a new schedule. If its endpoint is disabled, it waits. */
export async function resendMessage(
  { database }: Pick<WebhookContext, 'database'>,
  origin: Origin,
  { clientId, id }: { clientId: string; id: string },
): Promise<{ kind: 'resent'; messageId: string } | { kind: 'unknown' }> {
  const uuid = messageUuid(id)
  if (uuid === undefined) return { kind: 'unknown' }
  const row = await database.maybe(resendMessageRow, [clientId, uuid, originValue(origin)])
  return row ? { kind: 'resent', messageId: row.id } : { kind: 'unknown' }
}

/**
 * Delivers again, in their order and with the same ids, all messages of an endpoint that were written since an instant. There
 * may be very many: it runs in short steps, each with an audit row. If it is interrupted, the steps before stay.
 */
export async function replayMessages(
  { database }: Pick<WebhookContext, 'database'>,
  origin: Origin,
  { clientId, id, since }: EndpointName & { since: Date },
): Promise<{ kind: 'replayed'; messages: number } | { kind: 'unknown' }> {
  if (!isUuid(id)) return { kind: 'unknown' }
  let messages = 0
  let last: string | null = null
  do {
    const values: Value[] = [clientId, id, since, originValue(origin), last]
    const step = await database.expensive.maybe(replayMessageRows, values)
    if (!step && messages === 0) return { kind: 'unknown' }
    messages += step?.messages ?? 0
    last = step?.last ?? null
  } while (last !== null)
  return { kind: 'replayed', messages }
}

/** Partners know a message by the header `webhook-id`: `msg_<uuid>`. */
function messageUuid(id: string): string | undefined {
  const uuid = id.startsWith('msg_') ? id.slice(4) : id
  return isUuid(uuid) ? uuid : undefined
}
