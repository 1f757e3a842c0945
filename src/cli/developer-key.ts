import { Command, Option } from 'commander'
import { type DeveloperKeyRow, listDeveloperKeys } from '../developer-keys/developer-keys.sql.ts'
import { createDeveloperKey, revokeDeveloperKey } from '../developer-keys/developer-keys.ts'
import { developerRoles, plainRoleRights } from '../developer-keys/roles.ts'
import { findPartner } from '../partners/partners.sql.ts'
import { quoted } from '../visible-text.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { describeKey, expiryOption, keyShownOnce } from './key-options.ts'
import { unknownPartner } from './partner-delete.ts'

type Options = { json?: boolean; partner: string }

export function developerKeyCommand(): Command {
  return new Command('developer-key')
    .description('keys for programs of a partner that use the developer API')
    .addCommand(create())
    .addCommand(list())
    .addCommand(revoke())
}

const ofPartner = (name: string) =>
  new Command(name)
    .requiredOption('--partner <client_id>', 'the partner whose application the key is for')
    .option('--json', 'print JSON')

function create(): Command {
  return ofPartner('create')
    .description('make a key for a program of a partner; it is shown only once')
    .requiredOption('--name <name>', 'the program that uses the key')
    .addOption(new Option('--role <role>', plainRoleRights).choices(developerRoles).makeOptionMandatory())
    .addOption(expiryOption())
    .action((options: Options & { name: string; role: string; expiresInDays?: number }) =>
      withDatabase(async (database, { environment }, origin) => {
        const { partner: clientId, name, role, expiresInDays } = options
        if (!(await database.maybe(findPartner, [clientId]))) throw unknownPartner(clientId)
        const input = { clientId, name, role, expiresInDays }
        const outcome = await createDeveloperKey(database, origin, environment, input)
        if (outcome.kind === 'refused') throw new CommandError(outcome.faults.join('\n'))
        const { key, text } = outcome
        const lines = [`id             ${key.id}`, `developer_key  ${text}`, '', keyShownOnce]
        answer(options, { ...key, developer_key: text }, lines.join('\n'))
      }),
    )
}

function list(): Command {
  return ofPartner('list')
    .description('list the keys of a partner, also expired and revoked ones')
    .action((options: Options) =>
      withDatabase(async (database) => {
        const keys = await database.run(listDeveloperKeys, [options.partner])
        answer(options, keys, keys.map(describe).join('\n') || 'The partner has no developer keys.')
      }),
    )
}

function revoke(): Command {
  return ofPartner('revoke')
    .description('refuse a key from the next request on')
    .argument('<id>', 'the id from `developer-key list`')
    .action((id: string, options: Options) =>
      withDatabase(async (database, _config, origin) => {
        const revoked = await revokeDeveloperKey(database, origin, { clientId: options.partner, id })
        if (!revoked) {
          const what = `${options.partner} has no developer key ${quoted(id)} that is not revoked.`
          throw new CommandError(`The partner ${what}`, 'not_found')
        }
        answer(options, revoked, `The key ${revoked.name} (${id}) is revoked.`)
      }),
    )
}

function describe(key: DeveloperKeyRow): string {
  const { kind, id, name } = key.created_by
  return describeKey(key, `${key.role}, created by ${kind} ${name ?? id}`)
}
