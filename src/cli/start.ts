import { Command } from 'commander'
import { readConfig } from '../config.ts'

export function startCommand(): Command {
  return new Command('start')
    .description('run the server')
    .option('--json', 'accepted for consistency; the ready line is always JSON')
    .action(async () => {
      const config = readConfig(process.env)
      // Loading the server takes half a second. A static import would slow down all other commands.
      const { startServer, stopSignal } = await import('../main.ts')
      const stop = stopSignal()
      const server = await startServer(config, { defaultLogLevel: 'info' })
      process.stdout.write(
        `ready ${JSON.stringify({ auth_url: config.authUrl, base_url: config.baseUrl })}\n`,
      )
      await stop
      await server.close()
    })
}
