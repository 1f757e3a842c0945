import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { openRequest, previewRequest } from '../going-live/open-request.ts'
import { longestRequest } from '../going-live/request.ts'
import { formText } from '../panel/fields.ts'
import Type, { type Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { AlreadyOpenedPage, goingLiveUrl, OpenedPage, PreviewPage, RequestForm } from './going-live-pages.tsx'
import { operatorPage } from './operator-page.ts'

const Body = Type.Object({ request: formText(longestRequest) })
/** The request and the other fields of the form. */
const bodyLimit = longestRequest + 10_000
const scope = 'partners:write' as const
const title = 'Open a request to go live'

/** A partner goes live: the operator pastes what the sandbox has signed, looks at it, and opens it. */
export function goingLiveRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  const deployment = { config, database }
  operatorPage(app, context, web, { url: goingLiveUrl, scope }, async ({ csrf, show }) => {
    return show({ title, section: 'partners', body: <RequestForm csrf={csrf} faults={[]} /> })
  })

  operatorPage<{ Body: Static<typeof Body> }>(
    app,
    context,
    web,
    { method: 'POST', url: goingLiveUrl, scope, bodyLimit, schema: { body: Body } },
    async ({ request: { body }, origin, csrf, show }) => {
      const { request: signed = '' } = body
      const preview = await previewRequest(deployment, origin, signed)
      if (preview.kind === 'refused') {
        return show(
          { title, section: 'partners', body: <RequestForm csrf={csrf} faults={preview.faults} /> },
          422,
        )
      }
      if (preview.kind === 'already_opened') {
        return show({ title, section: 'partners', body: <AlreadyOpenedPage {...preview} /> }, 409)
      }
      const { request, warnings } = preview
      const page = <PreviewPage request={request} warnings={warnings} signed={signed} csrf={csrf} />
      return show({ title: request.partner.name, section: 'partners', body: page })
    },
  )

  operatorPage<{ Body: Static<typeof Body> }>(
    app,
    context,
    web,
    { method: 'POST', url: `${goingLiveUrl}/open`, scope, bodyLimit, schema: { body: Body } },
    async ({ request: { body }, origin, csrf, show }) => {
      const outcome = await openRequest(deployment, origin, body.request ?? '')
      if (outcome.kind === 'refused') {
        return show(
          { title, section: 'partners', body: <RequestForm csrf={csrf} faults={outcome.faults} /> },
          422,
        )
      }
      if (outcome.kind === 'already_opened') {
        return show({ title, section: 'partners', body: <AlreadyOpenedPage {...outcome} /> }, 409)
      }
      return show({ title: 'The partner is live', section: 'partners', body: <OpenedPage {...outcome} /> })
    },
  )
}
