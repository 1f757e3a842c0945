import { Command } from 'commander'
import type { ReadHousehold, ReadRow } from '../read-log/reads.sql.ts'
import { listHouseholdsRead, listReads, type ReadFilter } from '../read-log/reads.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { defaultLimit, parseDay, parseLimit } from './log-options.ts'

type Json = { json?: boolean }
type Options = Json & {
  household?: string
  user?: string
  partner?: string
  grant?: string
  since?: string
  limit?: number
}

export function readsCommand(): Command {
  return new Command('reads')
    .description('show which application has read which households, and when')
    .addCommand(list())
    .addCommand(households())
}

function list(): Command {
  return new Command('list')
    .description('list by day and grant what was read; name a household, a user, a partner or a grant')
    .option('--household <id>', 'who has read this household')
    .option('--user <id>', 'what was read for this user')
    .option('--partner <client_id>', 'what this partner has read')
    .option('--grant <id>', 'what was read by this grant')
    .option('--since <date>', 'the first day, in UTC', parseDay)
    .option('--limit <number>', `rows at most (${defaultLimit})`, parseLimit)
    .option('--json', 'print JSON')
    .action((options: Options) =>
      withDatabase(async (database) => {
        const { household, user, partner, grant, since, limit = defaultLimit } = options
        const filter: ReadFilter = {
          householdId: household,
          userId: user,
          clientId: partner,
          grantId: grant,
          since,
        }
        const outcome = await listReads(database, filter, { after: null, limit })
        if (outcome.kind === 'refused') throw new CommandError(outcome.reason)
        const text = outcome.reads.map(household === undefined ? describe : describeOne)
        answer(options, outcome.reads, text.join('\n') || 'No reads are recorded.')
      }),
    )
}

function describe(row: ReadRow): string {
  return `${start(row)}  ${row.households} households, ${row.reads} reads`
}

function describeOne(row: ReadRow): string {
  return `${start(row)}  ${row.reads} reads`
}

function start({
  day,
  partner_name: name,
  client_id: clientId,
  user_id: user,
  grant_id: grant,
}: ReadRow): string {
  return `${day}  ${name} (${clientId})  for ${user}  grant ${grant}`
}

function households(): Command {
  return new Command('households')
    .description('list the households that a grant has read')
    .argument('<grant>', 'the id from `reads list`')
    .option('--since <date>', 'the first day, in UTC', parseDay)
    .option('--limit <number>', `rows at most (${defaultLimit})`, parseLimit)
    .option('--json', 'print JSON')
    .action((grantId: string, options: Options) =>
      withDatabase(async (database) => {
        const { since, limit = defaultLimit } = options
        const found = await listHouseholdsRead(database, { grantId, since }, { after: null, limit })
        answer(options, found, found.map(describeHousehold).join('\n') || 'No reads are recorded.')
      }),
    )
}

function describeHousehold({ household_id: id, name, last_day: day, days, reads }: ReadHousehold): string {
  return `${id}  ${name ?? '-'}  ${reads} reads on ${days === 1 ? '1 day' : `${days} days`}, last on ${day}`
}
