import { Command } from 'commander'
import { listApiKeys } from '../admin/api-keys.sql.ts'
import { createApiKey, revokeApiKey } from '../admin/api-keys.ts'
import { scopes } from '../operators/scopes.ts'
import { quoted } from '../visible-text.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { describeKey, expiryOption, keyShownOnce } from './key-options.ts'

type Json = { json?: boolean }

export function apiKeyCommand(): Command {
  return new Command('api-key')
    .description('keys for programs that use the admin API')
    .addCommand(create())
    .addCommand(list())
    .addCommand(revoke())
}

function create(): Command {
  return new Command('create')
    .description('make a key for a program; it is shown only once')
    .requiredOption('--name <name>', 'the program that uses the key')
    .requiredOption('--scope <scope...>', `what the key may do (repeatable): ${scopes.join(', ')}`)
    .addOption(expiryOption())
    .option('--json', 'print JSON')
    .action((options: Json & { name: string; scope: string[]; expiresInDays?: number }) =>
      withDatabase(async (database, { environment }, origin) => {
        const { name, scope, expiresInDays } = options
        const outcome = await createApiKey(database, origin, environment, {
          name,
          scopes: scope,
          expiresInDays,
        })
        if (outcome.kind === 'refused') throw new CommandError(outcome.faults.join('\n'))
        const { key, text } = outcome
        const lines = [`id       ${key.id}`, `api_key  ${text}`, '', keyShownOnce]
        answer(options, { ...key, api_key: text }, lines.join('\n'))
      }),
    )
}

function list(): Command {
  return new Command('list')
    .description('list all keys, also expired and revoked ones')
    .option('--json', 'print JSON')
    .action((options: Json) =>
      withDatabase(async (database) => {
        const keys = await database.run(listApiKeys, [])
        answer(
          options,
          keys,
          keys.map((key) => describeKey(key, key.scopes.join(' '))).join('\n') || 'There are no API keys.',
        )
      }),
    )
}

function revoke(): Command {
  return new Command('revoke')
    .description('refuse a key from the next request on')
    .argument('<id>', 'the id from `api-key list`')
    .option('--json', 'print JSON')
    .action((id: string, options: Json) =>
      withDatabase(async (database, _config, origin) => {
        const revoked = await revokeApiKey(database, origin, id)
        if (!revoked) {
          throw new CommandError(`There is no API key ${quoted(id)} that is not revoked.`, 'not_found')
        }
        answer(options, revoked, `The key ${revoked.name} (${id}) is revoked.`)
      }),
    )
}
