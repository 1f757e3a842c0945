import { Command } from 'commander'
import { listPartners, type Partner, setPartnerStatus } from '../partners/partners.sql.ts'
import { createPartner, rotatePartnerSecret } from '../partners/partners.ts'
import { answer, CommandError, withDatabase } from './command.ts'

type Json = { json?: boolean }

export function partnerCommand(): Command {
  return new Command('partner')
    .description('register and manage partner applications')
    .addCommand(create())
    .addCommand(list())
    .addCommand(show())
    .addCommand(setStatus('suspend', 'suspended', 'refuse everything of a partner until it is resumed'))
    .addCommand(setStatus('resume', 'active', 'let a suspended partner go on where it was'))
    .addCommand(rotateSecret())
}

function create(): Command {
  return new Command('create')
    .description('register a partner; its secret is shown this once')
    .requiredOption('--name <name>', 'what users read on the connect page')
    .requiredOption('--redirect-uri <uri...>', 'where users return to; matched exactly (repeatable)')
    .option('--require-pkce', 'refuse authorization requests without PKCE')
    .option('--json', 'print JSON')
    .action((options: Json & { name: string; redirectUri: string[]; requirePkce?: boolean }) =>
      withDatabase(async (database, { environment }) => {
        const registration = await createPartner(database, environment, {
          name: options.name,
          redirectUris: options.redirectUri,
          requirePkce: options.requirePkce ?? false,
        })
        if (registration.kind === 'refused') throw new CommandError(registration.faults.join('\n'))
        const { clientId, clientSecret } = registration
        const text = `client_id      ${clientId}\nclient_secret  ${clientSecret}\n\nKeep the secret: it is shown this once.`
        answer(options, { client_id: clientId, client_secret: clientSecret }, text)
      }),
    )
}

function list(): Command {
  return new Command('list')
    .description('all partners')
    .option('--json', 'print JSON')
    .action((options: Json) =>
      withDatabase(async (database) => {
        const partners = await database.run(listPartners, [])
        const text = partners.map(
          ({ client_id, status, name }) => `${client_id}  ${status.padEnd(9)}  ${name}`,
        )
        answer(options, partners, text.join('\n') || 'There are no partners.')
      }),
    )
}

function show(): Command {
  return new Command('show')
    .description('one partner')
    .argument('<client_id>')
    .option('--json', 'print JSON')
    .action((clientId: string, options: Json) =>
      withDatabase(async (database) => {
        const partner = (await database.run(listPartners, [])).find(({ client_id }) => client_id === clientId)
        if (!partner) throw unknown(clientId)
        answer(options, partner, describe(partner, [`live secrets   ${partner.live_secrets}`]))
      }),
    )
}

function setStatus(name: string, status: Partner['status'], description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<client_id>')
    .option('--json', 'print JSON')
    .action((clientId: string, options: Json) =>
      withDatabase(async (database) => {
        const partner = await database.maybe(setPartnerStatus, [clientId, status])
        if (!partner) throw unknown(clientId)
        answer(options, partner, describe(partner, []))
      }),
    )
}

function rotateSecret(): Command {
  return new Command('rotate-secret')
    .description('give a partner a second secret; the one before it stays live until the next rotation')
    .argument('<client_id>')
    .option('--end-others', 'the new secret alone is live from now on, for when one has leaked')
    .option('--json', 'print JSON')
    .action((clientId: string, options: Json & { endOthers?: boolean }) =>
      withDatabase(async (database, { environment }) => {
        const rotated = await rotatePartnerSecret(database, environment, clientId, options.endOthers ?? false)
        if (!rotated) throw unknown(clientId)
        const { clientSecret, liveSecrets } = rotated
        const text = `client_secret  ${clientSecret}\n\nShown this once. Live secrets now: ${liveSecrets}.`
        answer(options, { client_id: clientId, client_secret: clientSecret, live_secrets: liveSecrets }, text)
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
    ...more,
  ].join('\n')
}

function unknown(clientId: string): CommandError {
  return new CommandError(`There is no partner ${clientId}; \`latchkey partner list\` shows them all.`)
}
