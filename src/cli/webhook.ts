import { Command } from 'commander'
import { secretKeys } from '../secrets/secret-keys.ts'
import type { Endpoint } from '../webhooks/endpoints.sql.ts'
import {
  addEndpoint,
  disableEndpoint,
  enableEndpoint,
  listEndpoints,
  removeEndpoint,
  rotateWebhookSecret,
  updateEndpoint,
} from '../webhooks/endpoints.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { checkSecretIsInUse } from './secret-in-use.ts'
import { messagesCommand, replayCommand, resendCommand, testCommand } from './webhook-messages.ts'
import { foundEndpoint, ofPartner, type PartnerOptions, unknownEndpoint } from './webhook-options.ts'

type Settings = { event?: string[]; description?: string }
type KeyOptions = PartnerOptions & { ed25519?: true }

export function webhookCommand(): Command {
  return new Command('webhook')
    .description('addresses of partners that get events, and what was delivered')
    .addCommand(add())
    .addCommand(list())
    .addCommand(show())
    .addCommand(update())
    .addCommand(rotateSecret())
    .addCommand(
      setStatus('enable', 'deliver again; events that waited are delivered in their order', enableEndpoint),
    )
    .addCommand(setStatus('disable', 'deliver nothing; events wait for 30 days at most', disableEndpoint))
    .addCommand(remove())
    .addCommand(testCommand())
    .addCommand(messagesCommand())
    .addCommand(resendCommand())
    .addCommand(replayCommand())
}

function add(): Command {
  return ofPartner('add', 'register an address; its secret is shown only once')
    .requiredOption('--url <url>', 'the address')
    .option('--event <type...>', 'only these events (repeatable); without it, all')
    .option('--description <text>', 'a note for people')
    .option('--ed25519', 'sign with a private key that stays here, instead of a shared secret')
    .action((options: KeyOptions & Settings & { url: string }) =>
      withDatabase(async (database, config, origin) => {
        await checkSecretIsInUse(database, config)
        const { partner: clientId, url, event: events, description } = options
        const input = { clientId, url, events, description, secretKind: kindOf(options) }
        const outcome = await addEndpoint({ database, keys: secretKeys(config), config }, origin, input)
        if (outcome.kind === 'unknown')
          throw new CommandError(`There is no partner ${clientId}.`, 'not_found')
        if (outcome.kind === 'refused') throw new CommandError(outcome.faults.join('\n'))
        const { endpoint, secret } = outcome
        answer(options, { ...endpoint, secret }, [describe(endpoint), ...secretLines(secret)].join('\n'))
      }),
    )
}

function list(): Command {
  return ofPartner('list', 'list the endpoints of a partner').action((options: PartnerOptions) =>
    withDatabase(async (database) => {
      const endpoints = await listEndpoints(database, options.partner)
      const text = endpoints.map(
        ({ id, url, status, waiting }) => `${id}  ${status.padEnd(8)}  ${url}  (${waiting} waiting)`,
      )
      answer(options, endpoints, text.join('\n') || 'The partner has no endpoints.')
    }),
  )
}

function show(): Command {
  return ofPartner('show', 'show an endpoint')
    .argument('<id>')
    .action((id: string, options: PartnerOptions) =>
      withDatabase(async (database) => {
        const endpoint = await foundEndpoint(database, options, id)
        answer(options, endpoint, describe(endpoint))
      }),
    )
}

function update(): Command {
  return ofPartner('update', 'change the address, the events or the description')
    .argument('<id>')
    .option('--url <url>', 'the new address')
    .option('--event <type...>', 'from now on only these events (repeatable)')
    .option('--description <text>', 'a note for people; empty: none')
    .action((id: string, options: PartnerOptions & Settings & { url?: string }) =>
      withDatabase(async (database, config, origin) => {
        const { partner: clientId, url, event: events, description } = options
        const context = { database, keys: secretKeys(config), config }
        const outcome = await updateEndpoint(context, origin, { clientId, id, url, events, description })
        if (outcome.kind === 'unknown') throw unknownEndpoint(id)
        if (outcome.kind === 'refused') throw new CommandError(outcome.faults.join('\n'))
        answer(options, outcome.endpoint, describe(outcome.endpoint))
      }),
    )
}

function rotateSecret(): Command {
  return ofPartner('rotate-secret', 'add a secret; the one before it signs for a day more')
    .argument('<id>')
    .option('--ed25519', 'sign with a private key that stays here, instead of a shared secret')
    .option('--end-others', 'after a leak: the other secrets sign no longer')
    .action((id: string, options: KeyOptions & { endOthers?: true }) =>
      withDatabase(async (database, config, origin) => {
        await checkSecretIsInUse(database, config)
        const { partner: clientId, endOthers } = options
        const input = { clientId, id, secretKind: kindOf(options), endOthers }
        const outcome = await rotateWebhookSecret(
          { database, keys: secretKeys(config), config },
          origin,
          input,
        )
        if (outcome.kind === 'unknown') throw unknownEndpoint(id)
        const { endpoint, secret } = outcome
        answer(options, { ...endpoint, secret }, [describe(endpoint), ...secretLines(secret)].join('\n'))
      }),
    )
}

function setStatus(
  name: string,
  description: string,
  change: typeof enableEndpoint | typeof disableEndpoint,
): Command {
  return ofPartner(name, description)
    .argument('<id>')
    .action((id: string, options: PartnerOptions) =>
      withDatabase(async (database, _config, origin) => {
        const outcome = await change({ database }, origin, { clientId: options.partner, id })
        if (outcome.kind === 'unknown') throw unknownEndpoint(id)
        if (outcome.kind === 'refused') throw new CommandError(outcome.faults.join('\n'))
        answer(options, outcome.endpoint, describe(outcome.endpoint))
      }),
    )
}

function remove(): Command {
  return ofPartner('remove', 'remove an endpoint and its events')
    .argument('<id>')
    .action((id: string, options: PartnerOptions) =>
      withDatabase(async (database, _config, origin) => {
        const { kind } = await removeEndpoint({ database }, origin, { clientId: options.partner, id })
        if (kind === 'unknown') throw unknownEndpoint(id)
        answer(options, { id }, `The endpoint ${id} is removed.`)
      }),
    )
}

function kindOf({ ed25519 }: KeyOptions): 'ed25519' | 'hmac' {
  return ed25519 ? 'ed25519' : 'hmac'
}

function secretLines(secret: string | null): string[] {
  if (secret === null) return ['', 'Give the public key to the partner.']
  return ['', `secret         ${secret}`, '', 'Keep the secret: it is shown only once.']
}

function describe(endpoint: Endpoint): string {
  const { disabled_for: reason, failing_since: failing, secrets } = endpoint
  const facts: [string, string][] = [
    ['id', endpoint.id],
    ['address', endpoint.url],
    ['events', endpoint.events.join(', ')],
    ['description', endpoint.description ?? 'none'],
    ['status', reason === null ? endpoint.status : `${endpoint.status} (${reasons[reason]})`],
    ['failing since', failing?.toISOString() ?? 'not failing'],
    ['waiting', `${endpoint.waiting} events`],
    ...secrets.map(({ kind, public_key: key, expires_at: end }): [string, string] => [
      'signed with',
      [kind, key ?? [], end === null ? [] : `until ${end}`].flat().join(' '),
    ]),
  ]
  return facts.map(([name, value]) => `${name.padEnd(14)} ${value}`).join('\n')
}

const reasons = {
  failing: 'nothing could be delivered for five days',
  gone: 'the receiver answered 410 Gone',
  partner: 'by the partner',
  operator: 'by an operator',
}
