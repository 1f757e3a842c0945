import { Command } from 'commander'
import {
  type ExplainedRequest,
  listRequests,
  type RequestFilter,
  type RequestsOutcome,
} from '../request-log/requests.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { defaultLimit, parseLimit, parseSince } from './log-options.ts'

type Options = {
  json?: boolean
  partner?: string
  user?: string
  grant?: string
  status?: string
  refused?: true
  route?: string
  since?: Date
  until?: Date
  limit?: number
}

export function requestCommand(): Command {
  return new Command('request')
    .description('show the calls of the last days, and why they were refused')
    .addCommand(list())
    .addCommand(explain())
}

function list(): Command {
  return new Command('list')
    .description('list calls, newest first; name a partner, a user or a grant, or list refused calls')
    .option('--partner <client_id>', 'calls of this partner')
    .option('--user <id>', 'calls for this user')
    .option('--grant <id>', 'calls with this grant')
    .option('--status <status>', 'only this status, such as 401, or class, such as 4xx')
    .option('--refused', 'only calls with a status from 400 on')
    .option('--route <route>', 'only this route, as it is listed')
    .option('--since <instant>', 'only calls since this date or instant', parseSince)
    .option('--until <instant>', 'only calls before this date or instant', parseSince)
    .option('--limit <number>', `rows at most (${defaultLimit})`, parseLimit)
    .option('--json', 'print JSON')
    .action((options: Options) => {
      const { partner, user, grant, refused, route, since, until } = options
      const status = options.status ?? (refused && 'refused')
      return show(options, { clientId: partner, userId: user, grantId: grant, status, route, since, until })
    })
}

function explain(): Command {
  return new Command('explain')
    .description('say what a call was, who made it, and why it was refused')
    .argument('<request id>', 'the X-API-Request-ID; the caller chooses it, so there may be several calls')
    .option('--partner <client_id>', 'only calls of this partner')
    .option('--limit <number>', `rows at most (${defaultLimit})`, parseLimit)
    .option('--json', 'print JSON')
    .action((requestId: string, options: Options) => show(options, { requestId, clientId: options.partner }))
}

function show(options: Options, filter: RequestFilter): Promise<void> {
  return withDatabase(async (database, config) => {
    const page = { after: null, limit: options.limit ?? defaultLimit }
    const requests = found(await listRequests(database, config.baseUrl, filter, page))
    const none = `No such calls are recorded. Calls of the last ${config.requestLogDays} days are kept.`
    answer(options, requests, requests.map(describe).join('\n\n') || none)
  })
}

function found(outcome: RequestsOutcome): ExplainedRequest[] {
  if (outcome.kind === 'requests') return outcome.requests
  throw new CommandError(outcome.reason)
}

function describe({ at, request_id: id, explanation, error_page: page }: ExplainedRequest): string {
  return [`${at.toISOString()}  ${id}`, explanation, ...(page === null ? [] : [page])].join('\n')
}
