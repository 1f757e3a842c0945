import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { consoleRoutes } from '../../src/console/console.routes.ts'
import type { Context } from '../../src/context.ts'
import { ProviderClients } from '../../src/idp/provider-clients.ts'
import { query } from './database.ts'
import type { TestOperator } from './operators.ts'
import { type Route, routesOf } from './routes.ts'
import type { TestServer } from './server.ts'

/** A browser in which an operator is signed in. */
export async function operatorBrowser(
  server: TestServer,
  browser: Browser,
  operator: TestOperator,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ ...options, locale: 'en' })
  const cookies = await operator.browser.jar.getCookies(server.authUrl)
  await context.addCookies(
    cookies.map(({ key, value, httpOnly, secure }) => ({
      ...{ name: key, value, httpOnly, secure, url: server.authUrl },
    })),
  )
  return context
}

/** The latest record of the audit log for an event: who did it, through which door. */
export async function latestRecord(
  server: TestServer,
  event: string,
): Promise<{ via: string; actor_name: string | null; target_id: string; details: Record<string, unknown> }> {
  const [row] = await query<{
    via: string
    actor_name: string | null
    target_id: string
    details: Record<string, unknown>
  }>(
    server.database,
    'SELECT via, actor_name, target_id, details FROM audit_log WHERE event = $1 ORDER BY at DESC, id DESC LIMIT 1',
    [event],
  )
  if (!row) throw new Error(`the audit log has no ${event}`)
  return row
}

/** The forms of the console, as its router has them. Those about the operator's own session and account are left out. */
export async function consoleForms(context: Context): Promise<Route[]> {
  const routes = await routesOf('POST', (app) => consoleRoutes(app, context, new ProviderClients(context)))
  const own = /^\/admin\/(login|setup|confirm|logout|account)/
  return routes.filter(({ url }) => !own.test(url))
}
