#!/usr/bin/env node
import { Command } from 'commander'
import { ExplainedError } from '../explained-error.ts'
import { backupCommand, restoreCommand } from './backup.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { grantCommand } from './grant.ts'
import { importCommand } from './import.ts'
import { keyCommand } from './key.ts'
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
  .addCommand(keyCommand())
  .addCommand(backupCommand())
  .addCommand(restoreCommand())
  .addCommand(doctorCommand())

try {
  await program.parseAsync()
} catch (error) {
  const text = error instanceof ExplainedError ? error.message : error instanceof Error ? error.stack : error
  process.stderr.write(`${text}\n`)
  process.exitCode = 1
}
