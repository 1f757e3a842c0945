#!/usr/bin/env node
import { Command } from 'commander'
import { ConfigError } from '../config.ts'
import { DataDirectoryInUse } from '../database/embedded.ts'
import { MigrationError } from '../database/migrate.ts'
import { CommandError } from './command.ts'
import { migrateCommand } from './migrate.ts'

const program = new Command('latchkey')
  .description('OAuth 2.0 authorization server and partner API for households and their accounts.')
  .configureHelp({ showGlobalOptions: true })
  .addCommand(migrateCommand())

try {
  await program.parseAsync()
} catch (error) {
  const expected = [CommandError, ConfigError, DataDirectoryInUse, MigrationError].some(
    (kind) => error instanceof kind,
  )
  process.stderr.write(
    `${expected && error instanceof Error ? error.message : error instanceof Error ? error.stack : error}\n`,
  )
  process.exitCode = 1
}
