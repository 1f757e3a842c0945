import { Command } from 'commander'
import { type AccessExplanation, explainAccess } from '../explain/explain-access.ts'
import { answer, withDatabase } from './command.ts'

export function accessCommand(): Command {
  return new Command('access').description('explain what users see').addCommand(explain())
}

function explain(): Command {
  return new Command('explain')
    .description('say whether a user sees a household, why, since when, and what would change it')
    .argument('<email-or-id>', 'the user')
    .argument('<household>', 'the id of the household')
    .option('--json', 'print JSON')
    .action((user: string, household: string, options: { json?: boolean }) =>
      withDatabase(async (database) => {
        const explained = await explainAccess(database, user, household)
        answer(options, explained, describe(explained))
      }),
    )
}

function describe({
  visible,
  reason,
  since,
  change,
  accounts,
  live_grants: grants,
}: AccessExplanation): string {
  return [
    `${visible ? 'Visible.' : 'Not visible.'} ${reason}`,
    ...(since === '' ? [] : [since]),
    `To change it: ${change}`,
    ...(visible ? [`Applications that the user has connected see the same. Live grants: ${grants}.`] : []),
    ...accounts.map(({ id, status, reason }) => `account ${id} (${status}): ${reason}`),
  ].join('\n')
}
