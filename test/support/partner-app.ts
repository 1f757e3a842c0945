import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { Page } from 'playwright-core'
import { closePages, openBrowser } from './browser.ts'
import { emailOf, password, seed } from './directory.ts'
import { type TestPartner, type TestServer, testServer } from './server.ts'

/** A partner application at its own address, a server on which ada sees `households`, and ada's browser. */
export type PartnerApp = {
  server: TestServer
  partner: TestPartner
  /** Without a trailing slash. */
  origin: string
  page: Page
  /** Replaces the application's request handler. */
  serve(listener: RequestListener): void
  close(): Promise<void>
}

export const households = [{ id: 'h1', name: 'Lovelace' }]

export async function startPartnerApp(callbackPath = '/callback'): Promise<PartnerApp> {
  const site = createServer().listen(0, '127.0.0.1')
  await once(site, 'listening')
  const address = site.address()
  if (typeof address !== 'object' || !address) throw new Error('the partner application does not listen')
  // The server is at 127.0.0.1. To a browser these are two sites, as in production.
  const origin = `http://localhost:${address.port}`
  const server = await testServer()
  const partner = await server.partner({ redirectUri: `${origin}${callbackPath}` })
  await seed(server.database, { users: [{ id: 'ada' }], households })
  const browser = await openBrowser()
  const page = await browser.newPage({ viewport: { width: 1000, height: 800 } })
  page.setDefaultTimeout(10_000)
  return {
    server,
    partner,
    origin,
    page,
    serve: (listener) => site.removeAllListeners('request').on('request', listener),
    async close() {
      await closePages(browser)
      site.close()
      await server.close()
    },
  }
}

/** Starts at the partner's Connect button, which leads to `authorizationUrl`. @returns the address of the callback */
export async function travel(app: PartnerApp, authorizationUrl: URL): Promise<URL> {
  const arrived = new Promise<URL>((resolve) => {
    app.serve((request, response) => {
      const url = new URL(request.url ?? '/', app.origin)
      if (url.pathname === '/') {
        response.writeHead(302, { location: authorizationUrl.href }).end()
      } else if (url.pathname === '/callback') {
        response.end('Back at the partner')
        resolve(url)
      } else {
        response.writeHead(404).end()
      }
    })
  })
  const travelled = app.page.goto(app.origin).then(() => logInAndConnect(app))
  const [callback] = await Promise.all([arrived, travelled])
  return callback
}

/** From the login page back to the partner's own pages. */
export async function logInAndConnect({ page, origin }: PartnerApp): Promise<void> {
  await page.getByLabel('Email address').fill(emailOf('ada'))
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.waitForURL((url) => url.origin === origin)
}

/** The user disconnects. For libraries that cannot revoke tokens. */
export async function disconnect({ page, server }: PartnerApp): Promise<void> {
  await page.goto(`${server.authUrl}/connections`)
  await page.getByRole('link', { name: 'Disconnect Test Partner' }).click()
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('No apps are connected.').waitFor()
}
