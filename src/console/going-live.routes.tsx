import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { openRequest, previewRequest } from '../going-live/open-request.ts'
import { longestRequest } from '../going-live/request.ts'
import { acceptUploads, uploadOf } from '../panel/upload.ts'
import Type, { type Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { AlreadyOpenedPage, goingLiveUrl, OpenedPage, PreviewPage, RequestForm } from './going-live-pages.tsx'
import { operatorPage } from './operator-page.ts'

/** The text, or a file with it. */
const Body = Type.Object({
  request: Type.Optional(Type.String({ maxLength: longestRequest, pattern: '^[^\\u0000]*$' })),
  file: Type.Optional(Type.Unknown()),
})
type Body = Static<typeof Body>

const scope = 'partners:write' as const
const title = 'Open a request to go live'
const section = 'partners' as const

/** A partner goes live: the operator gives what the sandbox has signed, looks at it, and opens it. */
export function goingLiveRoutes(console: FastifyInstance, context: Context, web: ConsoleWeb): void {
  console.register(async (app) => {
    acceptUploads(app, longestRequest)
    preview(app, context, web)
    opening(app, context, web)
  })
}

function preview(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  operatorPage(app, context, web, { url: goingLiveUrl, scope }, async ({ csrf, show }) =>
    show({ title, section, body: <RequestForm csrf={csrf} faults={[]} /> }),
  )
  operatorPage<{ Body: Body }>(
    app,
    context,
    web,
    { method: 'POST', url: goingLiveUrl, scope, schema: { body: Body } },
    async ({ request: { body }, origin, csrf, show }) => {
      const signed = uploadOf(body.file)?.toString() ?? body.request ?? ''
      const outcome = await previewRequest(context, origin, signed)
      switch (outcome.kind) {
        case 'refused':
          return show({ title, section, body: <RequestForm csrf={csrf} faults={outcome.faults} /> }, 422)
        case 'already_opened':
          return show({ title, section, body: <AlreadyOpenedPage {...outcome} /> }, 409)
        case 'acceptable': {
          const page = <PreviewPage {...outcome} signed={signed} csrf={csrf} />
          return show({ title: outcome.request.partner.name, section, body: page })
        }
      }
    },
  )
}

function opening(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  operatorPage<{ Body: Body }>(
    app,
    context,
    web,
    { method: 'POST', url: `${goingLiveUrl}/open`, scope, recent: true, schema: { body: Body } },
    async ({ request: { body }, origin, csrf, show }) => {
      const outcome = await openRequest(context, origin, body.request ?? '')
      switch (outcome.kind) {
        case 'refused':
          return show({ title, section, body: <RequestForm csrf={csrf} faults={outcome.faults} /> }, 422)
        case 'already_opened':
          return show({ title, section, body: <AlreadyOpenedPage {...outcome} /> }, 409)
        case 'opened':
          return show({ title: 'The partner is live', section, body: <OpenedPage {...outcome} /> })
      }
    },
  )
}
