import { Command } from 'commander'
import type { Consequences } from '../partners/delete-partner.sql.ts'
import { consequencesOfDeletion, deletePartner } from '../partners/delete-partner.ts'
import { answer, CommandError, withDatabase } from './command.ts'

export function deleteCommand(): Command {
  return new Command('delete')
    .description('delete a partner for good, with the connections of its users; first says what would end')
    .argument('<client_id>')
    .option('--confirm', 'delete it; without this option, nothing is deleted')
    .option('--json', 'print JSON')
    .action((clientId: string, options: { json?: boolean; confirm?: true }) =>
      withDatabase(async (database, _config, origin) => {
        if (!options.confirm) {
          const found = await consequencesOfDeletion(database, clientId)
          if (!found) throw unknownPartner(clientId)
          throw new CommandError(
            `Nothing was deleted. A deletion of ${found.name} ends ${inWords(found)}, for good. To delete it, add --confirm. \`latchkey partner suspend\` can be undone.`,
          )
        }
        const outcome = await deletePartner(database, origin, clientId, undefined)
        if (outcome.kind !== 'deleted') throw unknownPartner(clientId)
        answer(
          options,
          outcome.ended,
          `${outcome.ended.name} is deleted, which ended ${inWords(outcome.ended)}.`,
        )
      }),
    )
}

function inWords({ connected_users: users, connections }: Consequences): string {
  const ofUsers = users === 1 ? 'the consent of 1 user' : `the consents of ${users} users`
  return `${ofUsers} with ${connections} ${connections === 1 ? 'connection' : 'connections'}`
}

export function unknownPartner(clientId: string): CommandError {
  return new CommandError(
    `There is no partner ${clientId}. \`latchkey partner list\` shows all partners.`,
    'not_found',
  )
}
