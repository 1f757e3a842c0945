import { Command } from 'commander'
import { endOldSecrets } from '../partners/end-old-secrets.ts'
import { findListedPartner, listPartners, type Partner } from '../partners/partners.sql.ts'
import { replacePartnerKeys, rotatePartnerSecret, setPartnerStatus } from '../partners/partners.ts'
import { type PartnerUpdate, updatePartner } from '../partners/update-partner.ts'
import { requireAcrOption } from './acr-option.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { grantLifetimeOption } from './grant-lifetime-option.ts'
import { addLimitOptions, changedLimits, type LimitOptions, limitLines } from './limit-options.ts'
import { createCommand, readText, secretShownOnce } from './partner-create.ts'
import { deleteCommand, unknownPartner } from './partner-delete.ts'
import { deprecatedCallsCommand, useCommand } from './partner-use.ts'
import { addProfileOptions, type ProfileOptions, profileLines, profileOf } from './profile-options.ts'

type Json = { json?: boolean }

type UpdateOptions = Json &
  LimitOptions &
  ProfileOptions & {
    name?: string
    redirectUri?: string[]
    authMethod?: string[]
    jwks?: string
    /** False for `--no-require-pkce`. */
    requirePkce?: boolean
    /** False for `--no-post-logout-redirect-uri`. */
    postLogoutRedirectUri?: string[] | false
    /** False for `--no-id-token-on-refresh`. */
    idTokenOnRefresh?: boolean
    /** False for `--no-grant-lifetime-days`. */
    grantLifetimeDays?: number | false
    /** False for `--no-require-acr`. */
    requireAcr?: string | false
  }

export function partnerCommand(): Command {
  return new Command('partner')
    .description('register and manage partner applications')
    .addCommand(createCommand())
    .addCommand(list())
    .addCommand(show())
    .addCommand(update())
    .addCommand(setStatus('suspend', 'suspended', 'refuse all requests of a partner until it is resumed'))
    .addCommand(setStatus('resume', 'active', 'end a suspension; tokens that are still valid work again'))
    .addCommand(rotateSecret())
    .addCommand(endOldSecret())
    .addCommand(setKeys())
    .addCommand(useCommand())
    .addCommand(deprecatedCallsCommand())
    .addCommand(deleteCommand())
}

function list(): Command {
  return new Command('list')
    .description('list all partners')
    .option('--json', 'print JSON')
    .action((options: Json) =>
      withDatabase(async (database) => {
        const partners = await database.run(listPartners, [])
        const text = partners.map(
          ({ client_id, status, auth_methods, name }) =>
            `${client_id}  ${status.padEnd(9)}  ${name}  (${auth_methods.join(', ')})`,
        )
        answer(options, partners, text.join('\n') || 'There are no partners.')
      }),
    )
}

function show(): Command {
  return new Command('show')
    .description('show one partner')
    .argument('<client_id>')
    .option('--json', 'print JSON')
    .action((clientId: string, options: Json) =>
      withDatabase(async (database) => {
        const partner = await database.maybe(findListedPartner, [clientId])
        if (!partner) throw unknownPartner(clientId)
        answer(options, partner, describe(partner, [`live secrets   ${partner.live_secrets}`]))
      }),
    )
}

function update(): Command {
  return addLimitOptions(addProfileOptions(new Command('update'), { removable: true }))
    .description('change a partner; other properties stay unchanged')
    .argument('<client_id>')
    .option('--name <name>', 'the name that users see on the connect page')
    .option('--redirect-uri <uri...>', 'the new redirect URIs; they replace the old ones (repeatable)')
    .option(
      '--auth-method <method...>',
      'the new authentication methods; they replace the old ones (repeatable)',
    )
    .option('--jwks <file>', 'with --auth-method private_key_jwt: the public keys')
    .option('--require-pkce', 'refuse authorization requests without PKCE')
    .option('--no-require-pkce', 'accept authorization requests without PKCE')
    .option(
      '--post-logout-redirect-uri <uri...>',
      'the new addresses after logout; they replace the old ones (repeatable)',
    )
    .option('--no-post-logout-redirect-uri', 'removes all addresses after logout')
    .option('--id-token-on-refresh', 'return an id_token on each refresh')
    .option('--no-id-token-on-refresh', 'return an id_token on a refresh only if it says token_type=id')
    .addOption(grantLifetimeOption())
    .option('--no-grant-lifetime-days', "users' consents are valid as long as the deployment says")
    .addOption(requireAcrOption('its users connect'))
    .option('--no-require-acr', 'its users may connect with any login')
    .option('--json', 'print JSON')
    .action((clientId: string, options: UpdateOptions) =>
      withDatabase(async (database, { environment }, origin) => {
        const outcome = await updatePartner(database, origin, environment, clientId, {
          name: options.name,
          redirectUris: options.redirectUri,
          requirePkce: options.requirePkce,
          postLogoutRedirectUris:
            options.postLogoutRedirectUri === false ? [] : options.postLogoutRedirectUri,
          ...profileOf(options),
          authMethods: options.authMethod,
          jwks: options.jwks === undefined ? undefined : readText(options.jwks),
          idTokenOnRefresh: options.idTokenOnRefresh,
          limits: changedLimits(options),
          grantLifetimeDays: options.grantLifetimeDays === false ? null : options.grantLifetimeDays,
          requireAcr: options.requireAcr === false ? null : options.requireAcr,
        })
        answerUpdated(options, clientId, outcome)
      }),
    )
}

function answerUpdated(options: Json, clientId: string, outcome: PartnerUpdate): void {
  if (outcome.kind === 'unknown') throw unknownPartner(clientId)
  if (outcome.kind === 'refused') throw new CommandError(outcome.faults.join('\n'))
  if (outcome.kind === 'conflict') {
    throw new CommandError(
      `Another operator changed ${clientId} at the same time. Nothing was changed here. Try again.`,
    )
  }
  const { partner, clientSecret } = outcome
  const secret = clientSecret === undefined ? {} : { client_secret: clientSecret }
  const shown = clientSecret === undefined ? [] : [`client_secret  ${clientSecret}`, '', secretShownOnce]
  answer(options, { ...partner, ...secret }, describe(partner, shown))
}

function setStatus(name: string, status: Partner['status'], description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<client_id>')
    .option('--json', 'print JSON')
    .action((clientId: string, options: Json) =>
      withDatabase(async (database, _, origin) => {
        const partner = await setPartnerStatus(database, origin, clientId, status)
        if (!partner) throw unknownPartner(clientId)
        answer(options, partner, describe(partner, []))
      }),
    )
}

function rotateSecret(): Command {
  return new Command('rotate-secret')
    .description('give a partner a second secret; the previous one stays live until the next rotation')
    .argument('<client_id>')
    .option('--end-others', 'end all other secrets at once, for example after a leak')
    .option('--json', 'print JSON')
    .action((clientId: string, options: Json & { endOthers?: boolean }) =>
      withDatabase(async (database, { environment }, origin) => {
        const rotated = await rotatePartnerSecret(
          database,
          origin,
          environment,
          clientId,
          options.endOthers ?? false,
        )
        if (rotated.kind === 'unknown') throw unknownPartner(clientId)
        if (rotated.kind === 'without_secret') {
          const instead =
            'it authenticates with private_key_jwt. `latchkey partner set-keys` replaces its keys'
          throw new CommandError(`The partner ${clientId} has no secret: ${instead}.`)
        }
        const { clientSecret, liveSecrets } = rotated
        const text = `client_secret  ${clientSecret}\n\n${secretShownOnce} Live secrets now: ${liveSecrets}.`
        answer(options, { client_id: clientId, client_secret: clientSecret, live_secrets: liveSecrets }, text)
      }),
    )
}

function endOldSecret(): Command {
  return new Command('end-old-secret')
    .description('after a rotation: accept only the newest secret from the next request on')
    .argument('<client_id>')
    .option('--json', 'print JSON')
    .action((clientId: string, options: Json) =>
      withDatabase(async (database, _, origin) => {
        const { kind } = await endOldSecrets(database, origin, clientId)
        if (kind === 'unknown') throw unknownPartner(clientId)
        if (kind === 'nothing_to_end') throw new CommandError(`The partner ${clientId} has only one secret.`)
        answer(options, { client_id: clientId, live_secrets: 1 }, 'Only the newest secret is accepted now.')
      }),
    )
}

function setKeys(): Command {
  return new Command('set-keys')
    .description('replace the public keys of a partner that authenticates with private_key_jwt')
    .argument('<client_id>')
    .requiredOption('--jwks <file>', 'a JSON Web Key Set or one JSON Web Key')
    .option('--json', 'print JSON')
    .action((clientId: string, options: Json & { jwks: string }) =>
      withDatabase(async (database, _, origin) => {
        const outcome = await replacePartnerKeys(database, origin, clientId, readText(options.jwks))
        if (outcome.kind === 'unknown') throw unknownPartner(clientId)
        if (outcome.kind === 'refused') throw new CommandError(outcome.faults.join('\n'))
        answer(options, outcome.partner, describe(outcome.partner, []))
      }),
    )
}

function describe(partner: Partner, more: string[]): string {
  return [
    `client_id      ${partner.client_id}`,
    `name           ${partner.name}`,
    `status         ${partner.status}`,
    `PKCE           ${partner.require_pkce ? 'required' : 'supported'}`,
    ...partner.redirect_uris.map((uri) => `redirect URI   ${uri}`),
    ...partner.post_logout_redirect_uris.map((uri) => `after logout   ${uri}`),
    ...profileLines(partner),
    `authenticates  ${partner.auth_methods.join(', ')}`,
    ...partner.key_ids.map((kid) => `key            ${kid}`),
    `id_token       ${partner.id_token_alg}${partner.id_token_on_refresh ? ', also on refresh' : ''}`,
    ...(partner.require_acr === null ? [] : [`requires       ${partner.require_acr}`]),
    ...limitLines(partner.limits),
    ...(partner.grant_lifetime_days === null
      ? []
      : [`consents       end after ${partner.grant_lifetime_days} days`]),
    ...more,
  ].join('\n')
}
