import { Command } from 'commander'
import { providerAddresses } from '../idp/addresses.ts'
import { changeOperatorLogins } from '../idp/operator-logins.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { done } from './idp-link.ts'

type Options = { json?: boolean; operators?: boolean; operatorsAcr?: string }

export function updateCommand(): Command {
  return new Command('update')
    .description('let operators sign in to the console through an identity provider, or no longer')
    .argument('<id>')
    .option('--operators', 'operators sign in there: by their verified address at the first login')
    .option('--no-operators', 'operators no longer sign in there; their sessions end')
    .option('--operators-acr <value>', 'the acr that a login of an operator must reach there')
    .option('--json', 'print JSON')
    .action((id: string, { json = false, operators, operatorsAcr: acr }: Options) => {
      if (operators === undefined)
        throw new CommandError('Nothing was changed: add --operators or --no-operators.')
      return withDatabase(async (database, config, origin) => {
        const { sessionsEnded } = done(await changeOperatorLogins(database, origin, { id, operators, acr }))
        const { operatorRedirectUri } = providerAddresses(config, id)
        const text = operators
          ? `Operators sign in through ${id}. Register this redirect URI there: ${operatorRedirectUri}`
          : `Operators no longer sign in through ${id}; ${sessionsEnded} sessions have ended.`
        const value = { id, operators, operators_acr: acr ?? null, sessions_ended: sessionsEnded }
        answer({ json }, { ...value, operator_redirect_uri: operatorRedirectUri }, text)
      })
    })
}
