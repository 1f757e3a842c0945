import { Command } from 'commander'
import type { Origin } from '../audit/origin.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import { providerAddresses } from '../idp/addresses.ts'
import { changeProviderLogins } from '../people/provider-settings.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { done } from './idp-link.ts'

type Options = {
  json?: boolean
  operators?: boolean
  operatorsAcr?: string
  developers?: boolean
  developersAcr?: string
}

export function updateCommand(): Command {
  return new Command('update')
    .description('let operators or developers sign in through an identity provider, or no longer')
    .argument('<id>')
    .option('--operators', 'operators sign in there: by their verified address at the first login')
    .option('--no-operators', 'operators no longer sign in there; their sessions end')
    .option('--operators-acr <value>', 'the acr that a login of an operator must reach there')
    .option(
      '--developers',
      'developers of partners sign in there: by their verified address at the first login',
    )
    .option('--no-developers', 'developers no longer sign in there; their sessions end')
    .option('--developers-acr <value>', 'the acr that a login of a developer must reach there')
    .option('--json', 'print JSON')
    .action((id: string, { json = false, ...options }: Options) => {
      const changes = changesOf(options)
      if (changes.length === 0)
        throw new CommandError('Nothing was changed: add --operators or --no-operators.')
      return withDatabase(async (database, config, origin) => {
        const outcomes = []
        for (const change of changes) outcomes.push(await apply(database, config, { origin, id, change }))
        const value = Object.assign({ id }, ...outcomes.map((outcome) => outcome.value))
        answer({ json }, value, outcomes.map(({ text }) => text).join('\n'))
      })
    })
}

type Change = { kind: 'operator' | 'developer'; logIn: boolean; acr: string | undefined }

function changesOf({ operators, operatorsAcr, developers, developersAcr }: Options): Change[] {
  return [
    operators === undefined ? [] : { kind: 'operator' as const, logIn: operators, acr: operatorsAcr },
    developers === undefined ? [] : { kind: 'developer' as const, logIn: developers, acr: developersAcr },
  ].flat()
}

async function apply(
  database: Database,
  config: Config,
  { origin, id, change: { kind, logIn, acr } }: { origin: Origin; id: string; change: Change },
) {
  const { sessionsEnded } = done(await changeProviderLogins(database, origin, kind, { id, logIn, acr }))
  const addresses = providerAddresses(config, id)
  const address = kind === 'operator' ? addresses.operatorRedirectUri : addresses.developerRedirectUri
  const people = kind === 'operator' ? 'Operators' : 'Developers'
  return {
    value: {
      [`${kind}s`]: logIn,
      [`${kind}s_acr`]: acr ?? null,
      sessions_ended: sessionsEnded,
      [`${kind}_redirect_uri`]: address,
    },
    text: logIn
      ? `${people} sign in through ${id}. Register this redirect URI there: ${address}`
      : `${people} no longer sign in through ${id}; ${sessionsEnded} sessions have ended.`,
  }
}
