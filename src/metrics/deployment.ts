import { type Database, DatabaseUnavailable } from '../database/database.ts'
import { readDeploymentFacts } from './deployment.sql.ts'
import type { DeploymentFacts } from './deployment-gauges.ts'

/** Undefined: the database does not answer. */
export async function deploymentFacts(database: Database): Promise<DeploymentFacts | undefined> {
  try {
    const row = await database.shortReads.one(readDeploymentFacts, [])
    return {
      outboxMessages: row.outbox_messages,
      outboxOldestSeconds: row.outbox_oldest_seconds,
      webhookMessages: row.webhook_messages,
      webhookOldestSeconds: row.webhook_oldest_seconds,
      webhookEndpoints: row.webhook_endpoints,
      signingKeyAges: row.signing_key_ages,
    }
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return undefined
    throw error
  }
}
