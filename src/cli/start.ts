import { Command } from 'commander'
import { readConfig } from '../config.ts'

export function startCommand(): Command {
  return new Command('start')
    .description('run the server')
    .option('--json', 'accepted like everywhere; the ready line is JSON already')
    .action(async () => {
      const config = readConfig(process.env)
      const { startServer, stopSignal } = await import('../main.ts') // half a second that the other commands need not spend
      const stop = stopSignal()
      const server = await startServer(config, { defaultLogLevel: 'info' })
      process.stdout.write(
        `ready ${JSON.stringify({ auth_url: config.authUrl, base_url: config.baseUrl })}\n`,
      )
      await stop
      await server.close()
    })
}
