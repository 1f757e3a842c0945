import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { createPartner, type Registration } from '../partners/partners.ts'
import type { TakenOver } from '../partners/taken-over.ts'
import { requireAcrOption } from './acr-option.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { grantLifetimeOption } from './grant-lifetime-option.ts'
import { addLimitOptions, type LimitOptions, newLimits } from './limit-options.ts'
import { addProfileOptions, type ProfileOptions, profileOf } from './profile-options.ts'

export const secretShownOnce = 'Keep the secret: it is shown only once.'

type CreateOptions = { json?: boolean } & LimitOptions &
  ProfileOptions & {
    name: string
    redirectUri: string[]
    clientId?: string
    secretHash?: string
    requirePkce?: boolean
    authMethod?: string[]
    jwks?: string
    idTokenAlg?: string
    idTokenOnRefresh?: boolean
    postLogoutRedirectUri?: string[]
    grantLifetimeDays?: number
    requireAcr?: string
  }

export function createCommand(): Command {
  return addLimitOptions(addProfileOptions(new Command('create'), { removable: false }))
    .description('register a partner; its secret is shown only once')
    .requiredOption('--name <name>', 'the name that users see on the connect page')
    .requiredOption(
      '--redirect-uri <uri...>',
      'the address to which users return; matched exactly (repeatable)',
    )
    .option('--client-id <id>', 'take over a partner of another service, which keeps its client_id')
    .option(
      '--secret-hash <hash>',
      'with --client-id, the partner keeps its secret: sha256: and the SHA-256 of the secret, in hexadecimal',
    )
    .option('--require-pkce', 'refuse authorization requests without PKCE')
    .option(
      '--auth-method <method...>',
      'client_secret_basic, client_secret_post (default: both), or private_key_jwt (repeatable)',
    )
    .option('--jwks <file>', 'public keys for private_key_jwt: a JSON Web Key Set or one JSON Web Key')
    .option('--id-token-alg <algorithm>', 'the algorithm that signs its id_tokens: RS256 (default) or ES256')
    .option('--id-token-on-refresh', 'return an id_token on each refresh, not only on token_type=id')
    .option(
      '--post-logout-redirect-uri <uri...>',
      'an address to which users may return after logout (repeatable)',
    )
    .addOption(grantLifetimeOption())
    .addOption(requireAcrOption('its users connect'))
    .option('--json', 'print JSON')
    .action((options: CreateOptions) =>
      withDatabase(async (database, { environment }, origin) => {
        const registration = await createPartner(database, origin, environment, {
          name: options.name,
          takenOver: takenOver(options),
          redirectUris: options.redirectUri,
          requirePkce: options.requirePkce ?? false,
          authMethods: options.authMethod,
          jwks: options.jwks === undefined ? undefined : readText(options.jwks),
          idTokenAlg: options.idTokenAlg,
          idTokenOnRefresh: options.idTokenOnRefresh,
          postLogoutRedirectUris: options.postLogoutRedirectUri,
          ...profileOf(options),
          limits: newLimits(options),
          grantLifetimeDays: options.grantLifetimeDays,
          requireAcr: options.requireAcr,
        })
        answerCreated(options, registration)
      }),
    )
}

function answerCreated(options: CreateOptions, registration: Registration): void {
  if (registration.kind === 'refused') throw new CommandError(registration.faults.join('\n'))
  const { clientId, clientSecret } = registration
  if (clientSecret === undefined) {
    answer(options, { client_id: clientId }, `client_id      ${clientId}`)
    return
  }
  const text = `client_id      ${clientId}\nclient_secret  ${clientSecret}\n\n${secretShownOnce}`
  answer(options, { client_id: clientId, client_secret: clientSecret }, text)
}

function takenOver({ clientId, secretHash }: CreateOptions): TakenOver | undefined {
  if (clientId !== undefined) return { clientId, secretHash }
  if (secretHash === undefined) return undefined
  throw new CommandError(
    '--secret-hash is only for a partner that keeps its client id: give --client-id too.',
  )
}

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}
