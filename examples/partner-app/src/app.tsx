import { mkdirSync, readFileSync } from 'node:fs'
import { createLatchkey, fileStore } from '@latchkey/client'
import { fastify } from 'fastify'
import type { Config } from './config.ts'
import { registerCookies, sessionCookie } from './cookies.ts'
import { Refused } from './errors.ts'
import { type Explanation, explain } from './explain.ts'
import { ErrorPage } from './pages/error.tsx'
import { sendPage } from './pages/layout.tsx'
import { style } from './pages/style.ts'
import { registerConnect } from './routes/connect.tsx'
import { registerHouseholds } from './routes/households.tsx'
import { liveScript, registerWebhooks } from './routes/webhooks.ts'
import { registerSecurity } from './security.ts'

export function createApp(config: Config) {
  // Pages keep a connection open, on which they hear of the end of their connection to the platform.
  const app = fastify({ forceCloseConnections: true })
  // If the directory cannot be made, the app fails when it starts and not after a login.
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const store = fileStore(config.dataDir)
  const latchkey = createLatchkey({
    authUrl: config.authUrl,
    baseUrl: config.baseUrl,
    clientId: config.clientId,
    clientSecret: config.clientSecret,
    redirectUri: new URL('/callback', config.partnerUrl).href,
    store,
  })

  registerSecurity(app, config)
  registerCookies(app, config.partnerUrl)
  registerConnect(app, latchkey, store)
  registerHouseholds(app, latchkey)
  registerWebhooks(app, latchkey, store, config.webhookSecret)

  const pico = readFileSync(new URL(import.meta.resolve('@picocss/pico/css/pico.min.css')))
  const sheets = { '/pico.min.css': pico, '/app.css': style }
  for (const [path, sheet] of Object.entries(sheets)) {
    app.get(path, (_request, reply) =>
      reply.type('text/css; charset=utf-8').header('cache-control', 'max-age=86400').send(sheet),
    )
  }

  app.get('/live.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(liveScript))

  // Each form is only a button, so the body is ignored.
  app.addContentTypeParser('application/x-www-form-urlencoded', async () => undefined)

  app.setNotFoundHandler(() => {
    throw new Refused(404, 'Not found', 'This page does not exist.')
  })

  app.setErrorHandler(async (error, request, reply) => {
    const explanation = explain(error)
    if (explanation.status >= 500) logFault(explanation, error)
    const connected = (await store.get(request.cookies[sessionCookie] ?? '')) !== undefined
    return sendPage(reply.code(explanation.status), <ErrorPage {...explanation} connected={connected} />)
  })

  return app
}

// Logs only the stacks. Other properties of an error from the token endpoint can contain tokens.
function logFault({ title, detail }: Explanation, error: unknown) {
  console.error(`${title}: ${detail}`)
  for (let fault = error; fault instanceof Error; fault = fault.cause) console.error(fault.stack)
}
