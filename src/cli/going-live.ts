import { writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { commandOrigin } from '../audit/origin.ts'
import { readConfig } from '../config.ts'
import type { Check } from '../going-live/checklist.ts'
import { type InvitedDeveloper, openRequest, previewRequest } from '../going-live/open-request.ts'
import type { GoingLiveRequest } from '../going-live/request.ts'
import { goingLiveOf, requestGoingLive } from '../going-live/request-going-live.ts'
import { sandboxKeyText } from '../going-live/sandbox-key.ts'
import { describeInvited, summaryOf } from '../going-live/summary.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { readText } from './partner-create.ts'
import { unknownPartner } from './partner-delete.ts'
import { checkSecretIsInUse } from './secret-in-use.ts'

type Json = { json?: boolean }

export function goingLiveCommand(): Command {
  return new Command('going-live')
    .description('take a partner from a sandbox to production')
    .addCommand(key())
    .addCommand(check())
    .addCommand(exportRequest())
    .addCommand(show())
    .addCommand(open())
}

function key(): Command {
  return new Command('key')
    .description('in the sandbox: print the public key for LATCHKEY_SANDBOX_KEYS of production')
    .option('--json', 'print JSON')
    .action((options: Json) => {
      const config = readConfig(process.env)
      if (config.environment !== 'sandbox') {
        throw new CommandError('This is production, which signs no requests. Run the command in the sandbox.')
      }
      const { current, accepted } = secretKeys(config)
      const text = sandboxKeyText(current)
      const others = accepted.filter((keys) => keys !== current).map(sandboxKeyText)
      const more = others.map((other) => `\n${other}   (of the previous or the next secret)`).join('')
      answer(options, { key: text, other_keys: others }, `${text}${more}`)
    })
}

function check(): Command {
  return new Command('check')
    .description('in the sandbox: what an application has done, and what is missing')
    .argument('<client_id>')
    .option('--json', 'print JSON')
    .action((clientId: string, options: Json) =>
      withDatabase(async (database, config) => {
        const state = await goingLiveOf({ database, config }, clientId)
        if (!state) throw unknownPartner(clientId)
        answer(options, { client_id: clientId, checks: state.checks }, state.checks.map(lineOf).join('\n'))
      }),
    )
}

function lineOf({ done, required, title, found, how }: Check): string {
  const line = `${done ? 'done     ' : 'not yet  '} ${required ? 'required' : 'advised '}  ${title}: ${found}`
  return done ? line : `${line}\n                     ${how}`
}

type ExportOptions = Json & {
  redirectUri: string[]
  postLogoutRedirectUri?: string[]
  webhook?: string[]
  jwks?: string
  contact: string
  expectedVolume: string
  output?: string
}

function exportRequest(): Command {
  return new Command('export')
    .description('in the sandbox: sign a request to go live, which the operator of production opens')
    .argument('<client_id>')
    .requiredOption('--redirect-uri <uri...>', 'an address in production to which users return (repeatable)')
    .option('--post-logout-redirect-uri <uri...>', 'an address to which users may return after logout')
    .option('--webhook <url...>', 'an address that gets events (repeatable)')
    .option('--jwks <file>', 'public keys for production; default: those of the sandbox')
    .requiredOption('--contact <text>', 'whom the operator can write to')
    .requiredOption('--expected-volume <text>', 'how many users and calls are expected')
    .option('--output <file>', 'write the request to a new file')
    .option('--json', 'print JSON')
    .action((clientId: string, options: ExportOptions) =>
      withDatabase(async (database, config, origin) => {
        await checkSecretIsInUse(database, config)
        const settings = {
          redirectUris: options.redirectUri,
          postLogoutRedirectUris: options.postLogoutRedirectUri ?? [],
          webhookUrls: options.webhook ?? [],
          jwks: options.jwks === undefined ? undefined : readText(options.jwks),
          contact: options.contact,
          expectedVolume: options.expectedVolume,
        }
        const requestedBy = `${commandOrigin().actor.id} (command of the sandbox)`
        const input = { clientId, settings, requestedBy }
        const outcome = await requestGoingLive({ database, config }, origin, input, new Date())
        if (outcome.kind === 'unknown') throw unknownPartner(clientId)
        if (outcome.kind === 'refused') throw new CommandError(outcome.faults.join('\n'))
        const { text, expiresAt, productionUrl } = outcome
        if (options.output === undefined)
          return answer(options, { request: text, expires_at: expiresAt }, text)
        write(options.output, text)
        const next = `Send ${options.output} to the operator of ${productionUrl} before ${expiresAt.toISOString()}.`
        answer(options, { file: options.output, expires_at: expiresAt }, next)
      }),
    )
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, `${text}\n`, { flag: 'wx' })
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${error instanceof Error ? error.message : error}`)
  }
}

function show(): Command {
  return new Command('show')
    .description('in production: verify a request of a sandbox, and show what opening it would do')
    .argument('<file>')
    .option('--json', 'print JSON')
    .action((file: string, options: Json) =>
      withDatabase(async (database, config, origin) => {
        const preview = await previewRequest({ database, config }, origin, readText(file))
        if (preview.kind === 'refused') throw new CommandError(preview.faults.join('\n'))
        const request = summaryOf(preview.request)
        if (preview.kind === 'already_opened') {
          const { clientId, openedAt } = preview
          const value = { state: 'opened', client_id: clientId, opened_at: openedAt, request }
          return answer(options, value, alreadyOpened(preview))
        }
        const { warnings } = preview
        answer(options, { state: 'acceptable', warnings, request }, described(preview.request, warnings))
      }),
    )
}

function open(): Command {
  return new Command('open')
    .description('in production: register the partner of a request, and invite its developers')
    .argument('<file>')
    .option('--json', 'print JSON')
    .action((file: string, options: Json) =>
      withDatabase(async (database, config, origin) => {
        await checkSecretIsInUse(database, config)
        const outcome = await openRequest({ database, config }, origin, readText(file))
        if (outcome.kind === 'refused') throw new CommandError(outcome.faults.join('\n'))
        if (outcome.kind === 'already_opened') throw new CommandError(alreadyOpened(outcome))
        const { clientId, invited } = outcome
        const value = { client_id: clientId, invited: describeInvited(invited) }
        answer(options, value, [`client_id      ${clientId}`, ...invited.map(invitationOf)].join('\n'))
      }),
    )
}

function invitationOf({ email, role, link }: InvitedDeveloper): string {
  const line = `developer      ${email}, ${role}`
  if (!link) return `${line}: has an account`
  return `${line}: ${link.isMailed ? 'the link is mailed, and it is' : 'pass this link on, it works once:'} ${link.link}`
}

function alreadyOpened({ openedAt, clientId }: { openedAt: Date; clientId: string }): string {
  return `The request was opened on ${openedAt.toISOString()}. It registered the partner ${clientId}.`
}

function described(request: GoingLiveRequest, warnings: string[]): string {
  const { partner, developers, webhooks, checks } = request
  return [
    `name           ${partner.name}`,
    `from           ${request.sandbox_client_id} of ${request.iss}`,
    `asked by       ${request.requested_by}`,
    `contact        ${request.contact}`,
    `volume         ${request.expected_volume}`,
    ...partner.redirect_uris.map((uri) => `redirect URI   ${uri}`),
    ...partner.post_logout_redirect_uris.map((uri) => `after logout   ${uri}`),
    `authenticates  ${partner.auth_methods.join(', ')}`,
    ...developers.map(({ name, email, role }) => `developer      ${name} <${email}>, ${role}`),
    ...webhooks.map(({ url }) => `webhook        ${url}`),
    `checks         ${checks.filter(({ done }) => done).length} of ${checks.length} done`,
    ...warnings.map((warning) => `Look at this:  ${warning}`),
  ].join('\n')
}
