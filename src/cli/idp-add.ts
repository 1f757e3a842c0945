import { readFileSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { Config } from '../config.ts'
import { providerAddresses } from '../idp/addresses.ts'
import { ProviderAuthMethod } from '../idp/providers.sql.ts'
import { addProvider, type NewProvider } from '../idp/providers.ts'
import { type SigningAlgorithm, signingAlgorithms } from '../keys/signing-keys.ts'
import { changeProviderLogins } from '../people/provider-settings.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { done } from './idp-link.ts'
import { readPassword } from './read-password.ts'
import { checkSecretIsInUse } from './secret-in-use.ts'

type AddOptions = {
  json?: boolean
  name: string
  issuer: string
  clientId: string
  authMethod: ProviderAuthMethod
  clientSecretFile?: string
  keyAlgorithm: SigningAlgorithm
  claim: string
  matches: 'email' | 'id'
  domain?: string[]
  firm?: string[]
  createUsers?: NewProvider['creates']
  scope?: string
  acrValues?: string
  operators?: true
  operatorsAcr?: string
}

const authMethods = ProviderAuthMethod.anyOf.map(({ const: method }) => method)

export function addCommand(): Command {
  return withOptions(new Command('add')).action(async (id: string, options: AddOptions) => {
    const secret = await secretFor(options.authMethod, options.clientSecretFile)
    const { operators = false, operatorsAcr: acr } = options
    await withDatabase(async (database, config, origin) => {
      await checkSecretIsInUse(database, config)
      done(await addProvider(database, origin, secretKeys(config), newProvider(id, options, secret)))
      if (operators) done(await changeProviderLogins(database, origin, 'operator', { id, logIn: true, acr }))
      const addresses = addressesOf(config, {
        id,
        auth_method: options.authMethod,
        operators,
        developers: false,
      })
      const lines = addresses.map(({ what, address }) => `${what.padEnd(26)} ${address}`)
      const text = [
        `${id} is added. Register at the provider:`,
        '',
        ...lines,
        '',
        `Then: latchkey idp test ${id}`,
      ]
      answer(options, { id, ...asJson(addresses) }, text.join('\n'))
    })
  })
}

function withOptions(command: Command): Command {
  return command
    .description('add an identity provider; prints the addresses to register there')
    .argument('<id>', 'a short name in the addresses, of a-z, 0-9 and -')
    .requiredOption('--name <name>', 'the name that users see')
    .requiredOption('--issuer <url>', 'the issuer, as in the metadata of the provider')
    .requiredOption('--client-id <id>', 'the client id that the provider has given')
    .addOption(
      new Option('--auth-method <method>', 'how Latchkey authenticates at the provider')
        .choices(authMethods)
        .default('client_secret_basic'),
    )
    .option(
      '--client-secret-file <file>',
      'the file with the client secret; otherwise it is read from standard input',
    )
    .addOption(
      new Option('--key-algorithm <algorithm>', 'the algorithm of the key for private_key_jwt')
        .choices(signingAlgorithms)
        .default('ES256'),
    )
    .option(
      '--claim <claim>',
      'the claim by which the first login finds the user; email must be verified',
      'email',
    )
    .addOption(
      new Option('--matches <what>', 'the property of the user that must equal the claim')
        .choices(['email', 'id'])
        .default('email'),
    )
    .option(
      '--domain <domain...>',
      'users with addresses in this domain log in there, and no others (repeatable)',
    )
    .option('--firm <id...>', 'only users of this firm may log in there (repeatable)')
    .option('--create-users <firm:role>', 'a first login without a user creates one', firmAndRole)
    .option(
      '--scope <scopes>',
      'the scopes to request (default: "openid email", and profile with --create-users)',
    )
    .option('--acr-values <values>', 'the acr_values to request, as the provider defines them')
    .option('--operators', 'operators sign in to the console there too')
    .option('--operators-acr <value>', 'the acr that a login of an operator must reach there')
    .option('--json', 'print JSON')
}

function newProvider(id: string, options: AddOptions, secret: string | undefined): NewProvider {
  const { createUsers: creates } = options
  return {
    id,
    name: options.name,
    issuer: options.issuer,
    clientId: options.clientId,
    authMethod: options.authMethod,
    ...(secret !== undefined && { secret }),
    algorithm: options.keyAlgorithm,
    claim: options.claim,
    matches: options.matches,
    domains: options.domain ?? [],
    firms: options.firm ?? [],
    creates,
    scope: options.scope ?? (creates ? 'openid email profile' : 'openid email'),
    acrValues: options.acrValues,
  }
}

/** Never an option with the secret itself: other users of the machine see the arguments of a process. */
export async function secretFor(
  method: ProviderAuthMethod,
  file: string | undefined,
): Promise<string | undefined> {
  if (method === 'private_key_jwt') return undefined
  if (file === undefined) return readPassword('client secret')
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new CommandError(`The file cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

function firmAndRole(text: string): { firm: string; role: string } {
  const cut = text.indexOf(':')
  if (cut < 1 || cut === text.length - 1)
    throw new InvalidArgumentError('It must be a firm and a role: FIRM:ROLE.')
  return { firm: text.slice(0, cut), role: text.slice(cut + 1) }
}

/** An address of Latchkey to register at the provider. */
export type Address = { what: string; key: string; address: string }

export function addressesOf(
  config: Config,
  provider: { id: string; auth_method: ProviderAuthMethod; operators: boolean; developers: boolean },
): Address[] {
  const { id, auth_method: method, operators, developers } = provider
  const addresses = providerAddresses(config, id)
  return [
    { what: 'redirect URI', key: 'redirect_uri', address: addresses.redirectUri },
    ...(operators
      ? [
          {
            what: 'redirect URI of operators',
            key: 'operator_redirect_uri',
            address: addresses.operatorRedirectUri,
          },
        ]
      : []),
    ...(developers
      ? [
          {
            what: 'redirect URI of developers',
            key: 'developer_redirect_uri',
            address: addresses.developerRedirectUri,
          },
        ]
      : []),
    {
      what: 'post-logout redirect URI',
      key: 'post_logout_redirect_uri',
      address: addresses.postLogoutRedirectUri,
    },
    {
      what: 'back-channel logout URI',
      key: 'backchannel_logout_uri',
      address: addresses.backchannelLogoutUri,
    },
    ...(method === 'private_key_jwt'
      ? [{ what: 'public keys (JWKS)', key: 'jwks_uri', address: addresses.jwksUri }]
      : []),
  ]
}

export function asJson(addresses: Address[]): Record<string, string> {
  return Object.fromEntries(addresses.map(({ key, address }) => [key, address]))
}
