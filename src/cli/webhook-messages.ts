import { type Command, InvalidArgumentError } from 'commander'
import type { Database } from '../database/database.ts'
import { quoted } from '../visible-text.ts'
import { type Message, type MessageDetails, messageStates } from '../webhooks/messages.sql.ts'
import {
  findMessage,
  listMessages,
  type MessageState,
  replayMessages,
  resendMessage,
  sendTestEvent,
} from '../webhooks/messages.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { defaultLimit, parseLimit, parseSince } from './log-options.ts'
import { ofPartner, type PartnerOptions, unknownEndpoint } from './webhook-options.ts'

type ListOptions = PartnerOptions & {
  endpoint?: string
  state?: MessageState
  type?: string
  grant?: string
  since?: Date
  limit?: number
}

export function messagesCommand(): Command {
  return ofPartner('messages', 'list the events of a partner, newest first, or show one with its attempts')
    .argument('[message id]', 'the `webhook-id` of a delivery')
    .option('--endpoint <id>', 'only of this endpoint')
    .option('--state <state>', `only ${messageStates.join(', ')}`, parseState)
    .option('--type <type>', 'only this type, such as grant.revoked')
    .option('--grant <id>', 'only of this grant')
    .option('--since <instant>', 'only since this date or instant', parseSince)
    .option('--limit <number>', `events at most (${defaultLimit})`, parseLimit)
    .action((id: string | undefined, options: ListOptions) =>
      withDatabase((database) => (id === undefined ? list(database, options) : show(database, id, options))),
    )
}

async function list(database: Database, options: ListOptions): Promise<void> {
  const { partner, endpoint: endpointId, state, type, grant: grantId, since, limit = defaultLimit } = options
  const filter = { endpointId, state, type, grantId, since }
  const messages = await listMessages(database, partner, filter, { after: null, limit })
  const none = 'There are no such events. They are kept for 30 days.'
  answer(options, messages, messages.map(describe).join('\n') || none)
}

async function show(database: Database, id: string, options: PartnerOptions): Promise<void> {
  const message = await findMessage(database, options.partner, id)
  if (!message) throw unknownMessage(id)
  answer(
    options,
    message,
    [describe(message), JSON.stringify(message.data), ...attemptLines(message)].join('\n'),
  )
}

export function testCommand(): Command {
  return ofPartner('test', 'send a test event to an endpoint')
    .argument('<id>')
    .action((id: string, options: PartnerOptions) =>
      withDatabase(async (database, _config, origin) => {
        const outcome = await sendTestEvent({ database }, origin, { clientId: options.partner, id })
        if (outcome.kind === 'unknown') throw unknownEndpoint(id)
        if (outcome.kind === 'refused') throw new CommandError(outcome.fault)
        const { messageId } = outcome
        answer(options, { message_id: messageId }, `A server delivers the event msg_${messageId} now.`)
      }),
    )
}

export function resendCommand(): Command {
  return ofPartner('resend', 'deliver an event again, with the same id')
    .argument('<message id>', 'the `webhook-id` of a delivery')
    .action((id: string, options: PartnerOptions) =>
      withDatabase(async (database, _config, origin) => {
        const outcome = await resendMessage({ database }, origin, { clientId: options.partner, id })
        if (outcome.kind === 'unknown') throw unknownMessage(id)
        const { messageId } = outcome
        answer(options, { message_id: messageId }, `A server delivers the event msg_${messageId} again.`)
      }),
    )
}

export function replayCommand(): Command {
  return ofPartner('replay', 'deliver all events of an endpoint since an instant again, with the same ids')
    .argument('<id>')
    .requiredOption('--since <instant>', 'events since this date or instant', parseSince)
    .action((id: string, options: PartnerOptions & { since: Date }) =>
      withDatabase(async (database, _config, origin) => {
        const { partner: clientId, since } = options
        const outcome = await replayMessages({ database }, origin, { clientId, id, since })
        if (outcome.kind === 'unknown') throw unknownEndpoint(id)
        const { messages } = outcome
        answer(options, { messages }, `Servers deliver ${messages} events again.`)
      }),
    )
}

function describe(message: Message): string {
  const { id, type, state, attempts, created_at: at, last_fault: fault, next_attempt_at: next } = message
  const facts = [
    `${attempts} attempts`,
    ...(state === 'waiting' && next !== null ? [`next ${next.toISOString()}`] : []),
    ...(fault === null ? [] : [fault]),
  ]
  return `${at.toISOString()}  msg_${id}  ${type}  ${state}  (${facts.join('; ')})`
}

function attemptLines({ attempts_made: attempts }: MessageDetails): string[] {
  return attempts.map(({ number, at, duration_ms: ms, status, fault, response }) => {
    const result = fault ?? `delivered, status ${status}`
    return `${number}. ${at}  ${ms} ms  ${result}${response ? `  ${quoted(response)}` : ''}`
  })
}

function unknownMessage(id: string): CommandError {
  return new CommandError(`The partner has no event ${quoted(id)}.`, 'not_found')
}

function parseState(text: string): MessageState {
  const state = messageStates.find((known) => known === text)
  if (!state) throw new InvalidArgumentError(`It must be one of ${messageStates.join(', ')}.`)
  return state
}
