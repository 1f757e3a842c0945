import { Command } from 'commander'
import type { Origin } from '../audit/origin.ts'
import { type Config, readConfig } from '../config.ts'
import type { Database } from '../database/database.ts'
import { openEmbedded } from '../database/embedded/embedded.ts'
import { endOldSecrets } from '../keys/end-old-secrets.ts'
import { opensSigningKeys } from '../keys/keyring.ts'
import { type Rotation, type RotationState, readRotation } from '../keys/secret-rotation.ts'
import { replaceSecretFile } from '../secrets/secret-files.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { answer, CommandError, withDatabase } from './command.ts'

type Options = { json?: boolean; compromised?: true }

export function secretCommand(): Command {
  return new Command('secret').description('replace LATCHKEY_SECRET').addCommand(rotate())
}

function rotate(): Command {
  return new Command('rotate')
    .description(
      'replace the secret without ending anything: shows how far the servers are and what is next; ' +
        'a secret in the data directory is replaced at once',
    )
    .option('--compromised', 'after a leak: end everything that was made with the old secret')
    .option('--json', 'print JSON')
    .action((options: Options) => (options.compromised ? replaceCompromised(options) : rotateSecret(options)))
}

/** Never prints a secret: output of commands ends up in logs. */
function rotateSecret(options: Options): Promise<void> {
  return withDatabase(async (database, config) => {
    const rotation = await readRotation(database, config, new Date())
    if (!config.secretInDataDir) return answer(options, asJson(rotation), guide(rotation.state))
    const { state } = rotation
    const isComplete = state.kind === 'idle' || state.kind === 'finished'
    if (!isComplete && (state.kind !== 'unused' || config.previousSecret)) {
      throw new CommandError(
        `The secret cannot be replaced now: ${describeState(state)}. Nothing was changed. After a leak, use --compromised.`,
      )
    }
    replaceSecretFile(config.dataDir, config.secret, [config.secret])
    answer(
      options,
      { replaced: true },
      'The secret in the data directory is replaced. Restart the server now. Nothing ends: the server accepts the previous\n' +
        'secret for 31 days.',
    )
  })
}

function asJson({ state, secrets, currentSince }: Rotation) {
  return {
    state: state.kind,
    next_step: nextStep(state),
    secrets,
    current_since: currentSince,
    previous_needed_until: 'until' in state ? state.until : null,
  }
}

const steps = [
  'Make a new secret: openssl rand -base64 48\n' +
    'Set it as LATCHKEY_SECRET_NEXT on every server, and restart the servers one by one.',
  'When all are restarted: set LATCHKEY_SECRET_PREVIOUS to the old secret and LATCHKEY_SECRET to the new one,\n' +
    'and remove LATCHKEY_SECRET_NEXT. Restart the servers one by one, within a day.',
  '31 days later: remove LATCHKEY_SECRET_PREVIOUS on every server, and restart the servers one by one.',
]

/** The step that is next, from 1. Null: the configuration must be corrected first. */
function nextStep({ kind }: RotationState): number | null {
  if (kind === 'foreign') return null
  if (kind === 'announced' || kind === 'behind' || kind === 'switching') return 2
  return kind === 'overlap' || kind === 'finished' ? 3 : 1
}

function guide(state: RotationState): string {
  const next = nextStep(state)
  const list = steps.map((step, place) => {
    const mark = next === place + 1 ? '>' : ' '
    return `${mark} ${place + 1}. ${step.replaceAll('\n', '\n     ')}`
  })
  return [
    'LATCHKEY_SECRET is replaced in three steps. Nothing ends, and users and partners notice nothing.',
    ...list,
    '',
    `Now: ${describeState(state)}.`,
  ].join('\n')
}

/** Also used by `latchkey doctor`. */
export function describeState(state: RotationState): string {
  switch (state.kind) {
    case 'unused':
      return 'no server has used this database yet'
    case 'idle':
      return 'one secret, no replacement in progress'
    case 'announced':
      return 'step 1: LATCHKEY_SECRET_NEXT is set here, and no server uses it as LATCHKEY_SECRET yet'
    case 'switching':
      return 'step 2: the new secret is set here, and no server has started with it yet'
    case 'behind':
      return 'step 2: other servers already use the new secret; set it here as LATCHKEY_SECRET too'
    case 'overlap':
      return `step 2 has begun: servers use the new secret, and the previous one is needed until ${day(state.until)}`
    case 'finished':
      return `step 3: the previous secret has been useless since ${day(state.until)}; remove it`
    case 'foreign':
      return (
        'the servers of this database used another secret last, which is not configured here. ' +
        'Set LATCHKEY_SECRET to it, or, after a leak or in a copy, run `latchkey secret rotate --compromised`'
      )
  }
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10)
}

const consequences = [
  'It ends every connection, pages that users have open, and the signing keys. Partners get 401 and invalid_grant, and',
  'connect their users again. Partners that cache the JWKS cannot verify new id_tokens for up to five minutes. Users stay',
  'logged in, and what they have consented to stays.',
].join('\n')

async function replaceCompromised(options: Options): Promise<void> {
  const { secretInDataDir, dataDir, secret: old } = readConfig(process.env)
  if (!secretInDataDir)
    return withDatabase((database, config, origin) => endIfReplaced(options, database, config, origin))
  // As a server: a server that runs meanwhile would continue with the old secret.
  const claim = await openEmbedded({ dataDir, as: 'server' })
  try {
    await withDatabase(async (database, _, origin) => {
      replaceSecretFile(dataDir, undefined, [old])
      await endAll(options, database, readConfig(process.env), origin)
    })
  } finally {
    await claim.leave()
  }
}

async function endIfReplaced(
  options: Options,
  database: Database,
  config: Config,
  origin: Origin,
): Promise<void> {
  if (config.nextSecret || config.previousSecret || (await opensSigningKeys(database, secretKeys(config)))) {
    throw new CommandError(
      [
        'Nothing was changed. Before this command:',
        '  1. Stop all servers of this database.',
        '  2. Set LATCHKEY_SECRET to a new secret (openssl rand -base64 48) here and on every server.',
        '     Remove LATCHKEY_SECRET_NEXT and LATCHKEY_SECRET_PREVIOUS.',
        '  3. Run this command once, then start the servers.',
        consequences,
      ].join('\n'),
    )
  }
  return endAll(options, database, config, origin)
}

async function endAll(options: Options, database: Database, config: Config, origin: Origin): Promise<void> {
  const connections = await endOldSecrets(database, origin, config)
  const text = [
    `${connections} connections ended, and there are new signing keys. Start the servers now.`,
    consequences,
  ]
  answer(options, { ended: { connections } }, text.join('\n'))
}
