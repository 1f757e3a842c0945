import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, InvalidArgumentError } from 'commander'
import { exportAudit } from '../audit/export.ts'
import type { ListedRecord } from '../audit/list.sql.ts'
import { type AuditFilter, listAudit } from '../audit/list.ts'
import { type AuditFault, type Verification, verifyAudit } from '../audit/verify.ts'
import { type ExportVerification, readCheckpoints, verifyExport } from '../audit/verify-export.ts'
import { readConfig } from '../config.ts'
import { queriesOn } from '../database/database.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { answer, CommandError, withDatabase } from './command.ts'

type Json = { json?: boolean }
type Range = { since?: string; until?: string }

export function auditCommand(): Command {
  return new Command('audit')
    .description('who changed what: list, export and verify the audit log')
    .addCommand(list())
    .addCommand(exportCommand())
    .addCommand(verify())
}

function withRange(command: Command): Command {
  return command
    .option(
      '--since <instant>',
      'only records at or after this instant, for example 2026-11-01T00:00Z',
      instant,
    )
    .option('--until <instant>', 'only records before this instant', instant)
}

type ListOptions = Json &
  Range & { user?: string; partner?: string; event?: string; request?: string; limit: number }

function list(): Command {
  return withRange(new Command('list'))
    .description('list records, the newest first')
    .option('--user <id>', 'only records about this user')
    .option('--partner <client_id>', 'only records about this partner')
    .option('--event <name>', 'only this event, for example grant.revoked')
    .option('--request <id>', 'only records of this request')
    .option('--limit <number>', 'how many records at most', wholeNumber, 100)
    .option('--json', 'print JSON')
    .action((options: ListOptions) =>
      withDatabase(async (database) => {
        const { user, partner: client, event, request: requestId, since, until, limit } = options
        const filter: AuditFilter = { user, client, event, requestId, since, until }
        const { records } = await listAudit(database, filter, { limit })
        answer(options, records, records.map(describe).join('\n') || 'There are no such records.')
      }),
    )
}

function describe({
  at,
  event,
  actor_kind: kind,
  actor_id: id,
  actor_name: name,
  via,
  ...record
}: ListedRecord): string {
  const actor = [kind, name ?? id].filter((part) => part !== null).join(' ')
  const target = `${record.target_kind} ${record.target_id}`
  const details = Object.keys(record.details).length > 0 ? [JSON.stringify(record.details)] : []
  return [`${at.slice(0, 19)}Z`, event, target, `by ${actor} (${via})`, ...details].join('  ')
}

function exportCommand(): Command {
  return withRange(new Command('export'))
    .description('write records as JSON lines: events of OCSF, each with its record and hash')
    .option('--out <file>', 'the file to write; it must not exist yet (default: standard output)')
    .action(({ out, ...range }: Range & { out?: string }) =>
      withDatabase((database, config, origin) =>
        database.withConnection(async (client) => {
          const lines = exportAudit(queriesOn(client), secretKeys(config), origin, range)
          const text = Readable.from(withBreaks(lines))
          if (out === undefined) return pipeline(text, process.stdout, { end: false })
          try {
            await pipeline(text, createWriteStream(out, { flags: 'wx', mode: 0o600 }))
          } catch (error) {
            throw explainFile(out, error, 'written')
          }
        }),
      ),
    )
}

async function* withBreaks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`
}

function verify(): Command {
  return new Command('verify')
    .description('find records that were changed, removed, inserted or moved')
    .option('--export <file>', 'verify an export, and not the database')
    .option('--log <file>', "the server's log: its checkpoints show whether the end was cut off")
    .option('--json', 'print JSON')
    .action(async (options: Json & { export?: string; log?: string }) => {
      const result =
        options.export === undefined ? await ofDatabase(options.log) : await ofExport(options.export)
      answer(options, { ok: result.fault === null, ...result }, text(result))
      if (result.fault) process.exitCode = 1
    })
}

async function ofExport(file: string): Promise<ExportVerification> {
  try {
    return await verifyExport(file, secretKeys(readConfig(process.env)))
  } catch (error) {
    throw explainFile(file, error, 'read')
  }
}

async function ofDatabase(log: string | undefined): Promise<Verification> {
  const logged =
    log === undefined
      ? []
      : await readCheckpoints(log).catch((error) => Promise.reject(explainFile(log, error, 'read')))
  return withDatabase((database, config) =>
    database.withConnection((client) => verifyAudit(queriesOn(client), secretKeys(config), logged)),
  )
}

function text(result: Verification | ExportVerification): string {
  const lines = [faultText(result.fault), `${result.rows} records are in order up to there.`]
  if (result.fault === null) lines[1] = `${result.rows} records were verified.`
  if ('signature' in result) return [...lines, signatureText(result.signature)].join('\n')
  const { checkpoints, unverifiable, signed_to: signedTo, removed, waiting } = result
  lines.push(
    signedTo === null
      ? 'No checkpoint with a signature of a configured secret was found.'
      : `${checkpoints} signed checkpoints were verified. They cover all records up to place ${signedTo}.`,
  )
  if (unverifiable > 0)
    lines.push(
      `${unverifiable} checkpoints were signed with an earlier secret; the later ones cover their records too.`,
    )
  if (removed > 0) lines.push(`${removed} records are older than the retention; only their hashes are left.`)
  if (waiting > 0)
    lines.push(`${waiting} records are not chained yet. A running server chains them in seconds.`)
  return lines.join('\n')
}

function faultText(fault: AuditFault | null): string {
  if (!fault) return 'No fault was found.'
  const { place, reason } = fault
  return place === null ? `FAULT: ${reason}.` : `FAULT at place ${place}: ${reason}.`
}

function signatureText(signature: ExportVerification['signature']): string {
  switch (signature) {
    case 'verified':
      return 'The signature of the export was verified.'
    case 'unverifiable':
      return 'The export was signed with a secret that is not configured here. Its author could have changed records and chained them again.'
    case 'missing':
      return 'The export is empty.'
  }
}

function explainFile(file: string, error: unknown, what: 'read' | 'written'): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error
  return new CommandError(`${file} cannot be ${what}: ${error.message}`)
}

function instant(value: string): string {
  if (Number.isNaN(Date.parse(value))) throw new InvalidArgumentError('It must be an instant in ISO 8601.')
  return new Date(value).toISOString()
}

function wholeNumber(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) === 0)
    throw new InvalidArgumentError('It must be a whole number.')
  return Number(value)
}
