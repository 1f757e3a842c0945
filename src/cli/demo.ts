import { join } from 'node:path'
import { Command } from 'commander'
import { type Config, ConfigError, readConfig } from '../config.ts'
import type { Database } from '../database/database.ts'
import {
  checkDemoDatabase,
  type DemoPartner,
  loginTable,
  prepareDeveloper,
  prepareDirectory,
  prepareOperator,
  preparePartner,
  type SignInLink,
} from '../demo/demo.ts'
import { type PartnerApp, startPartnerApp } from '../demo/partner-app.ts'

export function demoCommand(): Command {
  return new Command('demo')
    .description('run a sandbox with demo data and a partner application')
    .option('--log', 'show the log, with one line for each request')
    .option('--json', 'print only the ready line')
    .action(async (options: { json?: boolean; log?: boolean }) => {
      const configured = readConfig(process.env)
      if (configured.environment !== 'sandbox') {
        throw new ConfigError([
          'LATCHKEY_ENVIRONMENT: the demo is for the sandbox; run production with `latchkey start`',
        ])
      }
      const partnerUrl = new URL(process.env.PARTNER_URL || 'http://localhost:4010').origin
      // The demo's webhooks go to the application on this machine.
      const config = {
        ...configured,
        webhookAllow: [...configured.webhookAllow, new URL(partnerUrl).hostname],
      }
      const { startServer, stopSignal } = await import('../main.ts')
      const stop = stopSignal()
      let starting: Promise<PartnerApp> | undefined
      let console: SignInLink | undefined
      let developers: SignInLink | undefined
      const prepare = async (database: Database) => {
        await prepareDirectory(database)
        console = await prepareOperator(database, config)
        const partner = await preparePartner(database, config, partnerUrl)
        developers = await prepareDeveloper(database, config, partner.clientId)
        starting = startPartnerApp(partnerEnvironment(config, partnerUrl, partner))
        starting.catch(() => {}) // `await starting` below throws the error, after the server has started
      }
      try {
        const server = await startServer(config, {
          defaultLogLevel: options.log ? 'info' : 'warn',
          check: checkDemoDatabase,
          prepare,
        })
        try {
          await starting
          if (!options.json) {
            process.stdout.write(
              `Open ${partnerUrl}, press Connect, and log in as one of:\n\n${loginTable()}\n\n` +
                `Docs for partners: ${config.baseUrl}docs\n` +
                signInLine('Developer pages of the application', 'sign up', developers) +
                `${signInLine('Console for operators', 'set up an owner', console)}\n`,
            )
          }
          const addresses = { auth_url: config.authUrl, base_url: config.baseUrl, partner_url: partnerUrl }
          process.stdout.write(`ready ${JSON.stringify(addresses)}\n`)
          await stop
        } finally {
          await server.close()
        }
      } finally {
        await (await starting?.catch(() => undefined))?.close()
      }
    })
}

/** A line of the output. Behind a setup link, the person sets a password and an authenticator app. */
function signInLine(pages: string, setUp: string, link: SignInLink | undefined): string {
  if (!link) return ''
  return `${pages}${link.isSetUp ? '' : `, ${setUp} with this link`}: ${link.address}\n`
}

function partnerEnvironment(
  config: Config,
  partnerUrl: string,
  partner: DemoPartner,
): Record<string, string> {
  return {
    LATCHKEY_AUTH_URL: config.authUrl,
    LATCHKEY_BASE_URL: config.baseUrl,
    PARTNER_URL: partnerUrl,
    PARTNER_CLIENT_ID: partner.clientId,
    PARTNER_CLIENT_SECRET: partner.clientSecret,
    ...(partner.webhookSecret && { PARTNER_WEBHOOK_SECRET: partner.webhookSecret }),
    PARTNER_DATA_DIR: join(config.dataDir, 'demo-partner-app'),
  }
}
