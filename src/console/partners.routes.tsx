import type { FastifyInstance } from 'fastify'
import { listAudit } from '../audit/list.ts'
import type { Context } from '../context.ts'
import { may } from '../operators/scopes.ts'
import { DoneQuery, pathText } from '../panel/fields.ts'
import { NewSecret, PageHead } from '../panel/page-parts.tsx'
import { filled, listQuery, listRequest, pageOfRows } from '../panel/paging.ts'
import { consequencesOfDeletion } from '../partners/delete-partner.ts'
import { findListedPartner, pageOfPartners } from '../partners/partners.sql.ts'
import { createPartner, setPartnerStatus } from '../partners/partners.ts'
import { listRequests } from '../request-log/requests.ts'
import Type, { type Static } from '../typebox.ts'
import { listEndpoints } from '../webhooks/endpoints.ts'
import type { ConsoleWeb } from './edge.ts'
import { showMissing } from './missing.tsx'
import { operatorPage } from './operator-page.ts'
import { newPartnerOf, PartnerFields } from './partner-fields.ts'
import { PartnerForm } from './partner-form.tsx'
import { PartnerList } from './partner-list.tsx'
import { PartnerPage } from './partner-page.tsx'
import { pageOfFoundPartners } from './search.sql.ts'
import { listEndpointHealth } from './webhooks.sql.ts'

const url = '/admin/partners'
export const PartnerParams = Type.Object({ client_id: pathText })
export type PartnerRoute = { Params: Static<typeof PartnerParams> }

export const partnerAddress = (clientId: string) => `${url}/${encodeURIComponent(clientId)}`

/** Partners: the list, one partner, and a new one. */
export function partnerRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  list(app, context, web)
  registration(app, context, web)
  onePartner(app, context, web)
  suspension(app, context, web)
}

function list(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const querystring = listQuery('q', 'status', 'done')
  operatorPage<{ Querystring: Static<typeof querystring> }>(
    app,
    context,
    web,
    { url, scope: 'partners:read', schema: { querystring } },
    async ({ request, operator, show }) => {
      const { database } = context
      const [q, status] = [filled(request.query.q), filled(request.query.status)]
      const page = listRequest(request.query)
      const found =
        q === undefined
          ? await database.run(pageOfPartners, [page.after, page.limit, status ?? null])
          : await database.expensive.run(pageOfFoundPartners, [q, page.after, page.limit, status ?? null])
      const { rows, next } = pageOfRows(request, page, found, ({ client_id: id }) => id)
      const body = (
        <PartnerList
          partners={rows}
          next={next}
          filter={{ q, status }}
          isDeleted={request.query.done === 'deleted'}
          mayWrite={may(operator, 'partners:write')}
          opensRequests={context.config.environment === 'production'}
        />
      )
      return show({ title: 'Partners', section: 'partners', body })
    },
  )
}

function registration(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  const scope = 'partners:write' as const
  operatorPage(app, context, web, { url: `${url}/new`, scope }, async ({ csrf, show }) => {
    const body = <PartnerForm action={`${url}/new`} csrf={csrf} fields={{}} faults={[]} isNew />
    return show({ title: 'New partner', section: 'partners', body })
  })
  operatorPage<{ Body: PartnerFields }>(
    app,
    context,
    web,
    { method: 'POST', url: `${url}/new`, scope, schema: { body: PartnerFields } },
    async ({ request, origin, csrf, show }) => {
      const { partner, faults } = newPartnerOf(request.body)
      const outcome =
        faults.length > 0
          ? { kind: 'refused' as const, faults }
          : await createPartner(database, origin, config.environment, partner)
      if (outcome.kind === 'refused') {
        const form = { action: `${url}/new`, csrf, fields: request.body, faults: outcome.faults }
        const body = <PartnerForm {...form} isNew />
        return show({ title: 'New partner', section: 'partners', body }, 422)
      }
      const { clientId, clientSecret } = outcome
      const body = <Created name={partner.name} clientId={clientId} secret={clientSecret} />
      return show({ title: 'The partner is registered', section: 'partners', body })
    },
  )
}

function Created({ name, clientId, secret }: { name: string; clientId: string; secret: string | undefined }) {
  return (
    <>
      <PageHead title="The partner is registered" back={{ label: 'Partners', href: url }} />
      <p>
        <bdi>{name}</bdi> can now send its users here. Its client id, which is not secret:
      </p>
      <p>
        <code class="id">{clientId}</code>
      </p>
      {secret !== undefined && <NewSecret what="client secret">{secret}</NewSecret>}
      <p>
        <a class="button" href={partnerAddress(clientId)}>
          Open the partner
        </a>
      </p>
    </>
  )
}

const done: Record<string, string> = {
  saved: 'The settings are saved. They apply from the next request on.',
  suspended: 'The partner is suspended. All its requests are refused from now on.',
  active: 'The suspension is over. Tokens that are still valid work again.',
  lifetime: 'Existing consents now end no later than a consent of now.',
  old_secrets: 'Only the newest secret is accepted from now on.',
  webhook_enabled: 'The webhook is enabled. Messages that waited are delivered now.',
  webhook_disabled:
    'The webhook is disabled. Messages wait for 30 days at most, and only operators can enable it again.',
  keys: 'The keys are replaced. From the next request on, only the new ones are accepted.',
}

function onePartner(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  operatorPage<PartnerRoute & { Querystring: Static<typeof DoneQuery> }>(
    app,
    context,
    web,
    {
      url: `${url}/:client_id`,
      scope: 'partners:read',
      schema: { params: PartnerParams, querystring: DoneQuery },
    },
    async ({ request, operator, csrf, show }) => {
      const { client_id: clientId } = request.params
      const [partner, consequences, endpoints, health, calls, changes] = await Promise.all([
        database.maybe(findListedPartner, [clientId]),
        consequencesOfDeletion(database, clientId),
        listEndpoints(database, clientId),
        database.run(listEndpointHealth, [clientId]),
        listRequests(database, config.baseUrl, { clientId }, { after: null, limit: 10 }),
        listAudit(database, { client: clientId }, { limit: 5 }),
      ])
      if (!partner || !consequences) return showMissing(show, 'partners', 'partner')
      const body = (
        <PartnerPage
          partner={partner}
          live={consequences}
          {...{ endpoints, health }}
          calls={calls.kind === 'requests' ? calls.requests : []}
          changes={changes.records}
          done={done[request.query.done ?? '']}
          csrf={csrf}
          mayWrite={may(operator, 'partners:write')}
        />
      )
      return show({ title: partner.name, section: 'partners', body })
    },
  )
}

function suspension(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  for (const [verb, status] of [
    ['suspend', 'suspended'],
    ['resume', 'active'],
  ] as const) {
    operatorPage<PartnerRoute>(
      app,
      context,
      web,
      {
        method: 'POST',
        url: `${url}/:client_id/${verb}`,
        scope: 'partners:write',
        schema: { params: PartnerParams },
      },
      async ({ request, reply, origin, show }) => {
        const { client_id: clientId } = request.params
        const changed = await setPartnerStatus(context.database, origin, clientId, status)
        if (!changed) return showMissing(show, 'partners', 'partner')
        return reply.redirect(`${partnerAddress(clientId)}?done=${status}`, 303)
      },
    )
  }
}
