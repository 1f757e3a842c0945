#!/usr/bin/env node
import { Command } from 'commander'
import { version } from '../version.ts'
import { failCommand } from './command.ts'

const json = process.argv.includes('--json')

/** In the order in which the help lists them. */
const commands: Record<string, () => Promise<Command>> = {
  demo: async () => (await import('./demo.ts')).demoCommand(),
  start: async () => (await import('./start.ts')).startCommand(),
  migrate: async () => (await import('./migrate.ts')).migrateCommand(),
  import: async () => (await import('./import.ts')).importCommand(),
  partner: async () => (await import('./partner.ts')).partnerCommand(),
  user: async () => (await import('./user.ts')).userCommand(),
  firm: async () => (await import('./firm.ts')).firmCommand(),
  role: async () => (await import('./role.ts')).roleCommand(),
  grant: async () => (await import('./grant.ts')).grantCommand(),
  access: async () => (await import('./access.ts')).accessCommand(),
  reads: async () => (await import('./reads.ts')).readsCommand(),
  request: async () => (await import('./request.ts')).requestCommand(),
  operator: async () => (await import('./operator.ts')).operatorCommand(),
  developer: async () => (await import('./developer.ts')).developerCommand(),
  idp: async () => (await import('./idp.ts')).idpCommand(),
  key: async () => (await import('./key.ts')).keyCommand(),
  'going-live': async () => (await import('./going-live.ts')).goingLiveCommand(),
  'api-key': async () => (await import('./api-key.ts')).apiKeyCommand(),
  'developer-key': async () => (await import('./developer-key.ts')).developerKeyCommand(),
  webhook: async () => (await import('./webhook.ts')).webhookCommand(),
  secret: async () => (await import('./secret.ts')).secretCommand(),
  audit: async () => (await import('./audit.ts')).auditCommand(),
  sandbox: async () => (await import('./sandbox.ts')).sandboxCommand(),
  backup: async () => (await import('./backup.ts')).backupCommand(),
  restore: async () => (await import('./backup.ts')).restoreCommand(),
  leak: async () => (await import('./leak.ts')).leakCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
}

const program = new Command('latchkey')
  .description('OAuth 2.0 authorization server and partner API for households and their accounts.')
  .version(version(), '-V, --version', 'print the version')
  .configureHelp({ showGlobalOptions: true })
for (const load of neededCommands(process.argv[2])) program.addCommand(await load())
throwErrors(program)

try {
  await program.parseAsync()
} catch (error) {
  failCommand(error, json)
}

/** Loading all commands takes a tenth of a second longer than loading the named one. Help and errors need them all. */
function neededCommands(name = ''): (() => Promise<Command>)[] {
  const named = Object.hasOwn(commands, name) ? commands[name] : undefined
  return named ? [named] : Object.values(commands)
}

/** Makes commander throw usage errors instead of exiting. With `--json`, commander prints no text for them. */
function throwErrors(command: Command): void {
  command.exitOverride()
  if (json) command.configureOutput({ writeErr: () => {} })
  for (const subcommand of command.commands) throwErrors(subcommand)
}
