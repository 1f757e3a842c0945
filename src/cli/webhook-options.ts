import { Command } from 'commander'
import type { Database } from '../database/database.ts'
import { quoted } from '../visible-text.ts'
import type { Endpoint } from '../webhooks/endpoints.sql.ts'
import { findEndpoint } from '../webhooks/endpoints.ts'
import { CommandError } from './command.ts'

export type PartnerOptions = { json?: boolean; partner: string }

/** A command about the webhooks of one partner. */
export function ofPartner(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--partner <client_id>', 'the partner')
    .option('--json', 'print JSON')
}

/** @throws {CommandError} if the partner has no such endpoint */
export async function foundEndpoint(
  database: Database,
  { partner }: PartnerOptions,
  id: string,
): Promise<Endpoint> {
  const endpoint = await findEndpoint(database, partner, id)
  if (!endpoint) throw unknownEndpoint(id)
  return endpoint
}

export function unknownEndpoint(id: string): CommandError {
  return new CommandError(`The partner has no endpoint ${quoted(id)}.`, 'not_found')
}
