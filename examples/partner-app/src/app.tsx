import { readFileSync } from 'node:fs'
import { fastify } from 'fastify'
import { createAccessToken } from './access-token.ts'
import { createAuthorization } from './authorization.ts'
import type { Config } from './config.ts'
import { openConnections } from './connections.ts'
import { registerCookies, sessionCookie } from './cookies.ts'
import { Refused } from './errors.ts'
import { type Explanation, explain } from './explain.ts'
import { createHouseholdsApi } from './households-api.ts'
import { ErrorPage } from './pages/error.tsx'
import { sendPage } from './pages/layout.tsx'
import { style } from './pages/style.ts'
import { registerConnect } from './routes/connect.tsx'
import { registerHouseholds } from './routes/households.tsx'
import { registerSecurity } from './security.ts'

export function createApp(config: Config) {
  const app = fastify()
  const connections = openConnections(config.dataFile)
  const authorization = createAuthorization(config)
  const api = createHouseholdsApi(config.baseUrl, createAccessToken(authorization, connections))

  registerSecurity(app, config)
  registerCookies(app, config.partnerUrl)
  registerConnect(app, config.partnerUrl, authorization, connections)
  registerHouseholds(app, api)

  const pico = readFileSync(new URL(import.meta.resolve('@picocss/pico/css/pico.min.css')))
  const sheets = { '/pico.min.css': pico, '/app.css': style }
  for (const [path, sheet] of Object.entries(sheets)) {
    app.get(path, (_request, reply) =>
      reply.type('text/css; charset=utf-8').header('cache-control', 'max-age=86400').send(sheet),
    )
  }

  // Each form is only a button, so the body is ignored.
  app.addContentTypeParser('application/x-www-form-urlencoded', async () => undefined)

  app.setNotFoundHandler(() => {
    throw new Refused(404, 'Not found', 'This page does not exist.')
  })

  app.setErrorHandler((error, request, reply) => {
    const explanation = explain(error)
    if (explanation.status >= 500) logFault(explanation, error)
    const connected = connections.get(request.cookies[sessionCookie]) !== undefined
    return sendPage(reply.code(explanation.status), <ErrorPage {...explanation} connected={connected} />)
  })

  return app
}

// Logs only the stacks. Other properties of an error from the token endpoint can contain tokens.
function logFault({ title, detail }: Explanation, error: unknown) {
  console.error(`${title}: ${detail}`)
  for (let fault = error; fault instanceof Error; fault = fault.cause) console.error(fault.stack)
}
