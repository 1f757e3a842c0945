import { Command } from 'commander'
import { linkUser, type NotChanged, unlinkUser } from '../idp/providers.ts'
import { answer, CommandError, withDatabase } from './command.ts'

type Json = { json?: boolean }

/** Returns the outcome of a change. @throws {CommandError} if nothing was changed */
export function done<Done extends { kind: 'done' }>(outcome: Done | NotChanged): Done {
  if (outcome.kind === 'refused')
    throw new CommandError(`Nothing was changed: ${outcome.reasons.join('; ')}.`)
  if (outcome.kind === 'not_found') throw new CommandError(outcome.reason, 'not_found')
  return outcome
}

export function linkCommand(): Command {
  return new Command('link')
    .description('link an account at the provider to a user, if no claim names the user')
    .argument('<id>', 'the identity provider')
    .argument('<email-or-id>', 'the user')
    .requiredOption('--sub <subject>', 'the subject of the account at the provider')
    .option('--json', 'print JSON')
    .action((id: string, user: string, options: Json & { sub: string }) =>
      withDatabase(async (database, _, origin) => {
        const { userId } = done(await linkUser(database, origin, { id, sub: options.sub, user }))
        answer(
          options,
          { id, user_id: userId, sub: options.sub },
          `${userId} logs in as ${options.sub} at ${id}.`,
        )
      }),
    )
}

export function unlinkCommand(): Command {
  return new Command('unlink')
    .description('end the link of a user, and the sessions; the next login links the user again')
    .argument('<id>', 'the identity provider')
    .argument('<email-or-id>', 'the user')
    .option('--json', 'print JSON')
    .action((id: string, user: string, options: Json) =>
      withDatabase(async (database, _, origin) => {
        const { userId, sub, sessionsEnded } = done(await unlinkUser(database, origin, { id, user }))
        answer(
          options,
          { id, user_id: userId, sub, sessions_ended: sessionsEnded },
          `${userId} is no longer linked to ${sub} at ${id}; ${sessionsEnded} sessions have ended.`,
        )
      }),
    )
}
