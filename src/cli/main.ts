#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import Type, { Parse } from '../typebox.ts'
import { backupCommand, restoreCommand } from './backup.ts'
import { failCommand } from './command.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { firmCommand } from './firm.ts'
import { grantCommand } from './grant.ts'
import { idpCommand } from './idp.ts'
import { importCommand } from './import.ts'
import { keyCommand } from './key.ts'
import { migrateCommand } from './migrate.ts'
import { partnerCommand } from './partner.ts'
import { roleCommand } from './role.ts'
import { sandboxCommand } from './sandbox.ts'
import { secretCommand } from './secret.ts'
import { startCommand } from './start.ts'
import { userCommand } from './user.ts'

const json = process.argv.includes('--json')

const program = new Command('latchkey')
  .description('OAuth 2.0 authorization server and partner API for households and their accounts.')
  .version(version(), '-V, --version', 'print the version')
  .configureHelp({ showGlobalOptions: true })
  .addCommand(demoCommand())
  .addCommand(startCommand())
  .addCommand(migrateCommand())
  .addCommand(importCommand())
  .addCommand(partnerCommand())
  .addCommand(userCommand())
  .addCommand(firmCommand())
  .addCommand(roleCommand())
  .addCommand(grantCommand())
  .addCommand(idpCommand())
  .addCommand(keyCommand())
  .addCommand(secretCommand())
  .addCommand(sandboxCommand())
  .addCommand(backupCommand())
  .addCommand(restoreCommand())
  .addCommand(doctorCommand())
throwErrors(program)

try {
  await program.parseAsync()
} catch (error) {
  failCommand(error, json)
}

/** Makes commander throw usage errors instead of exiting. With `--json`, commander prints no text for them. */
function throwErrors(command: Command): void {
  command.exitOverride()
  if (json) command.configureOutput({ writeErr: () => {} })
  for (const subcommand of command.commands) throwErrors(subcommand)
}

function version(): string {
  const file = new URL('../../package.json', import.meta.url)
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
  return Parse(Type.Object({ version: Type.String() }), parsed).version
}
