import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { openRequest, previewRequest } from '../going-live/open-request.ts'
import { describeInvited, summaryOf } from '../going-live/summary.ts'
import { conflict, created, ok, refused } from '../management/answers.ts'
import { adminAddress } from './admin-document.ts'
import { adminRoute } from './admin-edge.ts'
import { openGoingLiveRoute, previewGoingLiveRoute } from './going-live.operations.ts'

/** Requests of sandboxes to go live, with the use cases of `latchkey going-live`. */
export function goingLiveRoutes(app: FastifyInstance, context: Context): void {
  const { config } = context
  adminRoute(app, context, previewGoingLiveRoute, async ({ request: { body }, origin, database }) => {
    const preview = await previewRequest({ database, config }, origin, body.request)
    if (preview.kind === 'refused') return refused(preview.faults)
    const isOpened = preview.kind === 'already_opened'
    return ok({
      state: isOpened ? 'opened' : 'acceptable',
      client_id: isOpened ? preview.clientId : null,
      opened_at: isOpened ? preview.openedAt : null,
      warnings: isOpened ? [] : preview.warnings,
      request: summaryOf(preview.request),
    })
  })
  adminRoute(app, context, openGoingLiveRoute, async ({ request: { body }, origin, database }) => {
    const outcome = await openRequest({ database, config }, origin, body.request)
    switch (outcome.kind) {
      case 'refused':
        return refused(outcome.faults)
      case 'already_opened':
        return conflict(
          `The request was opened on ${outcome.openedAt.toISOString()}. It registered the partner ${outcome.clientId}.`,
        )
      case 'opened': {
        const { clientId, invited, request } = outcome
        const body = { client_id: clientId, invited: describeInvited(invited), request: summaryOf(request) }
        return created(adminAddress(config, 'partners', clientId), body)
      }
    }
  })
}
