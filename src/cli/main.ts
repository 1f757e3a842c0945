#!/usr/bin/env node
import { Command } from 'commander'
import { ConfigError } from '../config.ts'
import { EmbeddedPostgresError } from '../database/cluster.ts'
import { DatabaseUnavailable } from '../database/database.ts'
import { DataDirectoryInUse } from '../database/embedded.ts'
import { MigrationError } from '../database/migrate.ts'
import { PartnerAppError } from '../demo/partner-app.ts'
import { ListenError } from '../main.ts'
import { CommandError } from './command.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { grantCommand } from './grant.ts'
import { importCommand } from './import.ts'
import { migrateCommand } from './migrate.ts'
import { partnerCommand } from './partner.ts'
import { startCommand } from './start.ts'
import { userCommand } from './user.ts'

const program = new Command('latchkey')
  .description('OAuth 2.0 authorization server and partner API for households and their accounts.')
  .configureHelp({ showGlobalOptions: true })
  .addCommand(demoCommand())
  .addCommand(startCommand())
  .addCommand(migrateCommand())
  .addCommand(importCommand())
  .addCommand(partnerCommand())
  .addCommand(userCommand())
  .addCommand(grantCommand())
  .addCommand(doctorCommand())

try {
  await program.parseAsync()
} catch (error) {
  // These say all there is to say; anything else is a fault of ours, and its stack helps.
  const known = [
    CommandError,
    ConfigError,
    DatabaseUnavailable,
    DataDirectoryInUse,
    EmbeddedPostgresError,
    ListenError,
    MigrationError,
    PartnerAppError,
  ]
  const plain = known.some((kind) => error instanceof kind)
  const text = error instanceof Error ? (plain ? error.message : error.stack) : String(error)
  process.stderr.write(`${text}\n`)
  process.exitCode = 1
}
