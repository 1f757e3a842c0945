import { Command } from 'commander'
import { checkProvider } from '../idp/check-provider.ts'
import { findProvider, type ListedProvider, listProviders } from '../idp/providers.sql.ts'
import { removeProvider, setCredential } from '../idp/providers.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { type Address, addCommand, addressesOf, asJson, secretFor } from './idp-add.ts'
import { done, linkCommand, unlinkCommand } from './idp-link.ts'
import { updateCommand } from './idp-update.ts'
import { checkSecretIsInUse } from './secret-in-use.ts'

type Json = { json?: boolean }

export function idpCommand(): Command {
  return new Command('idp')
    .description('log users in through the OpenID Provider of the platform')
    .addCommand(addCommand())
    .addCommand(list())
    .addCommand(show())
    .addCommand(test())
    .addCommand(updateCommand())
    .addCommand(setCredentialCommand())
    .addCommand(linkCommand())
    .addCommand(unlinkCommand())
    .addCommand(remove())
}

function list(): Command {
  return new Command('list')
    .description('list the identity providers')
    .option('--json', 'print JSON')
    .action((options: Json) =>
      withDatabase(async (database) => {
        const providers = await database.run(listProviders, [null])
        const text = providers.map(
          ({ id, name, issuer, linked_users: users }) => `${id}  ${name}  ${issuer}  (${users} users linked)`,
        )
        answer(
          options,
          providers,
          text.join('\n') || 'There are no identity providers. Users log in with passwords.',
        )
      }),
    )
}

function show(): Command {
  return new Command('show')
    .description('show an identity provider with the addresses to register there')
    .argument('<id>')
    .option('--json', 'print JSON')
    .action((id: string, options: Json) =>
      withDatabase(async (database, config) => {
        const [provider] = await database.run(listProviders, [id])
        if (!provider) throw new CommandError(`There is no identity provider ${id}.`, 'not_found')
        const addresses = addressesOf(config, provider)
        answer(options, { ...provider, ...asJson(addresses) }, describe(provider, addresses))
      }),
    )
}

function describe(provider: ListedProvider, addresses: Address[]): string {
  const { creates_firm: firm, creates_role: role } = provider
  const facts: [string, string][] = [
    ['name', provider.name],
    ['issuer', provider.issuer],
    ['client id', provider.client_id],
    ['auth method', provider.auth_method],
    ['finds users', `the claim ${provider.claim} is the ${provider.matches} of the user`],
    ['domains', provider.domains.join(', ') || 'none: every user gets a button on the login page'],
    ['firms', provider.firms.join(', ') || 'all'],
    ['creates users', firm && role ? `in the firm ${firm}, with the role ${role}` : 'no'],
    ['scope', provider.scope],
    ['acr_values', provider.acr_values ?? 'none'],
    [
      'linked users',
      `${provider.linked_users}, last login ${provider.last_login_at?.toISOString() ?? 'never'}`,
    ],
    ['sessions', String(provider.live_sessions)],
    ['operators', provider.operators ? `sign in there, acr: ${provider.operators_acr ?? 'any'}` : 'no'],
    ['developers', provider.developers ? `sign in there, acr: ${provider.developers_acr ?? 'any'}` : 'no'],
    ...addresses.map(({ what, address }): [string, string] => [what, address]),
  ]
  return facts.map(([name, value]) => `${name.padEnd(26)} ${value}`).join('\n')
}

function test(): Command {
  return new Command('test')
    .description('check metadata, keys, credential and redirect URI at the provider; logs no one in')
    .argument('<id>')
    .option('--json', 'print JSON')
    .action((id: string, options: Json) =>
      withDatabase(async (database, config) => {
        const provider = await database.maybe(findProvider, [id])
        if (!provider) throw new CommandError(`There is no identity provider ${id}.`, 'not_found')
        const checks = []
        for await (const check of checkProvider(provider, config, secretKeys(config))) checks.push(check)
        const ok = checks.every((check) => check.ok)
        const text = checks.map(
          (check) => `${check.ok ? 'ok   ' : 'FAULT'}  ${check.check.padEnd(14)} ${check.detail}`,
        )
        answer(options, { ok, checks }, text.join('\n'))
        if (!ok) process.exitCode = 1
      }),
    )
}

function setCredentialCommand(): Command {
  return new Command('set-credential')
    .description('store a new client secret, or make a new key for private_key_jwt')
    .argument('<id>')
    .option(
      '--client-secret-file <file>',
      'the file with the client secret; otherwise it is read from standard input',
    )
    .option('--json', 'print JSON')
    .action((id: string, options: Json & { clientSecretFile?: string }) =>
      withDatabase(async (database, config, origin) => {
        await checkSecretIsInUse(database, config)
        done(
          await setCredential(database, origin, secretKeys(config), id, (method) =>
            secretFor(method, options.clientSecretFile),
          ),
        )
        answer(options, { id }, `The credential of ${id} is replaced. Check it: latchkey idp test ${id}`)
      }),
    )
}

function remove(): Command {
  return new Command('remove')
    .description(
      'remove an identity provider, its links to users and its sessions; users and connections stay',
    )
    .argument('<id>')
    .option('--json', 'print JSON')
    .action((id: string, options: Json) =>
      withDatabase(async (database, _, origin) => {
        const { linkedUsers, liveSessions, usersWithoutPassword } = done(
          await removeProvider(database, origin, id),
        )
        const json = {
          id,
          linked_users: linkedUsers,
          sessions_ended: liveSessions,
          users_without_password: usersWithoutPassword,
        }
        const text = [
          `${id} is removed: ${linkedUsers} users are no longer linked, and ${liveSessions} sessions have ended.`,
          'The users and their connected apps stay.',
          usersWithoutPassword > 0
            ? `${usersWithoutPassword} of them have no password here and cannot log in until they get one or another provider.`
            : 'All of them can log in with their passwords.',
        ]
        answer(options, json, text.join('\n'))
      }),
    )
}
