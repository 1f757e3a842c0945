import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Context } from '../context.ts'
import { type ListedOperator, listOperators } from '../operators/operators.sql.ts'
import { changeOperator, createOperator, removeOperator } from '../operators/operators.ts'
import { isRole, may } from '../operators/scopes.ts'
import { DoneQuery, formText, pathText } from '../panel/fields.ts'
import { Confirmation } from '../panel/forms.tsx'
import { PageHead } from '../panel/page-parts.tsx'
import { type NotChanged, resetCredentials } from '../people/accounts.ts'
import Type, { type Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { showMissing } from './missing.tsx'
import { type OperatorRequest, operatorPage } from './operator-page.ts'
import { OperatorForm, OperatorList, OperatorPage, SetupLinkPage } from './operator-pages.tsx'

const url = '/admin/operators'
const section = 'operators' as const
const writing = { scope: 'operators:write', recent: true } as const
const params = Type.Object({ id: pathText })
const OperatorFields = Type.Object({ email: formText(254), name: formText(1000), role: formText(20) })
type Params = { Params: Static<typeof params> }
type Body = { Body: Static<typeof OperatorFields> }

const addressOf = (id: string) => `${url}/${encodeURIComponent(id)}`

/** The people who use the console. */
export function operatorRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  list(app, context, web)
  addition(app, context, web)
  oneOperator(app, context, web)
  change(app, context, web)
  reset(app, context, web)
  removal(app, context, web)
}

const done: Record<string, string> = {
  saved: 'The operator is changed. A new role or status has ended the sessions.',
  removed: 'The operator is removed. What the operator did stays in the audit log.',
}

function list(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  operatorPage<{ Querystring: Static<typeof DoneQuery> }>(
    app,
    context,
    web,
    { url, scope: 'operators:read', schema: { querystring: DoneQuery } },
    async ({ request, operator, show }) => {
      const operators = await context.database.run(listOperators, [null])
      const mayWrite = may(operator, 'operators:write')
      const notice = done[request.query.done ?? '']
      const body = <OperatorList operators={operators} mayWrite={mayWrite} done={notice} />
      return show({ title: 'Operators', section, body })
    },
  )
}

function addition(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  const route = { ...writing, url: `${url}/new` } as const
  operatorPage(app, context, web, route, async ({ csrf, show }) => {
    const body = <OperatorForm csrf={csrf} fields={{}} faults={[]} />
    return show({ title: 'New operator', section, body })
  })
  operatorPage<Body>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { body: OperatorFields } },
    async ({ request, origin, csrf, show }) => {
      const { email = '', name = '', role = '' } = request.body
      const outcome = isRole(role)
        ? await createOperator(database, origin, config, { email, name, role })
        : noSuchRole
      if (outcome.kind !== 'done') {
        const body = <OperatorForm csrf={csrf} fields={request.body} faults={faultsOf(outcome)} />
        return show({ title: 'New operator', section, body }, 422)
      }
      const body = <SetupLinkPage name={name} {...outcome} />
      return show({ title: 'The operator is added', section, body })
    },
  )
}

/** Answers with the operator of this id, or 404. */
async function ofId(
  { database }: Context,
  id: string,
  show: OperatorRequest<Params>['show'],
  answer: (operator: ListedOperator) => FastifyReply,
): Promise<FastifyReply> {
  const [operator] = await database.run(listOperators, [id])
  return operator ? answer(operator) : showMissing(show, section, 'operator')
}

function oneOperator(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  operatorPage<Params & { Querystring: Static<typeof DoneQuery> }>(
    app,
    context,
    web,
    { url: `${url}/:id`, scope: 'operators:read', schema: { params, querystring: DoneQuery } },
    ({ request, operator: viewer, csrf, show }) =>
      ofId(context, request.params.id, show, (operator) => {
        const mayWrite = may(viewer, 'operators:write')
        const page = { operator, fields: operator, csrf, mayWrite, faults: [] }
        const body = <OperatorPage {...page} done={done[request.query.done ?? '']} />
        return show({ title: operator.name, section, body })
      }),
  )
}

function change(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database } = context
  operatorPage<Params & Body>(
    app,
    context,
    web,
    { ...writing, method: 'POST', url: `${url}/:id/edit`, schema: { params, body: OperatorFields } },
    async ({ request, reply, origin, csrf, show }) => {
      const { id } = request.params
      const { email = '', name = '', role = '' } = request.body
      const outcome = isRole(role)
        ? await changeOperator(database, origin, id, { email, name, role })
        : noSuchRole
      if (outcome.kind === 'done') return reply.redirect(`${addressOf(id)}?done=saved`, 303)
      return ofId(context, id, show, (operator) => {
        const page = { operator, fields: request.body, csrf, mayWrite: true, faults: faultsOf(outcome) }
        return show({ title: operator.name, section, body: <OperatorPage {...page} /> }, 422)
      })
    },
  )
  for (const [verb, status] of [
    ['disable', 'disabled'],
    ['enable', 'active'],
  ] as const) {
    const route = { ...writing, method: 'POST', url: `${url}/:id/${verb}`, schema: { params } } as const
    operatorPage<Params>(app, context, web, route, async ({ request, reply, origin, csrf, show }) => {
      const { id } = request.params
      const outcome = await changeOperator(database, origin, id, { status })
      if (outcome.kind === 'done') return reply.redirect(`${addressOf(id)}?done=saved`, 303)
      return ofId(context, id, show, (operator) => {
        const page = { operator, fields: operator, csrf, mayWrite: true, faults: faultsOf(outcome) }
        return show({ title: operator.name, section, body: <OperatorPage {...page} /> }, 409)
      })
    })
  }
}

function reset(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  const route = { ...writing, url: `${url}/:id/reset`, schema: { params } } as const
  operatorPage<Params>(app, context, web, route, ({ request, csrf, show }) =>
    ofId(context, request.params.id, show, ({ id, name }) => {
      const address = addressOf(id)
      const body = (
        <>
          <PageHead
            title="Let the operator set up the account again?"
            back={{ label: name, href: address }}
          />
          <Confirmation
            action={`${address}/reset`}
            csrf={csrf}
            button="Make a new link"
            isDangerous
            cancel={{ label: 'Cancel', href: address }}
          >
            <p>
              The password, the second factor and the accounts at providers of <bdi>{name}</bdi> end, with all
              sessions. Make sure that you speak with this person.
            </p>
          </Confirmation>
        </>
      )
      return show({ title: 'Set up the account again', section, body })
    }),
  )
  operatorPage<Params>(app, context, web, { ...route, method: 'POST' }, async ({ request, origin, show }) => {
    const outcome = await resetCredentials(database, origin, { config, kind: 'operator' }, request.params.id)
    if (outcome.kind !== 'done') return showMissing(show, section, 'operator')
    const [operator] = await database.run(listOperators, [outcome.id])
    const body = <SetupLinkPage name={operator?.name ?? outcome.id} {...outcome} />
    return show({ title: 'The new link', section, body })
  })
}

function removal(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const route = { ...writing, url: `${url}/:id/remove`, schema: { params } } as const
  operatorPage<Params>(app, context, web, route, ({ request, csrf, show }) =>
    ofId(context, request.params.id, show, ({ id, name }) => {
      const address = addressOf(id)
      const body = (
        <>
          <PageHead title="Remove the operator?" back={{ label: name, href: address }} />
          <Confirmation
            action={`${address}/remove`}
            csrf={csrf}
            button="Remove the operator"
            isDangerous
            cancel={{ label: 'Keep', href: address }}
          >
            <p>
              <bdi>{name}</bdi> can no longer sign in, from the next request on. What the operator did stays
              in the audit log.
            </p>
          </Confirmation>
        </>
      )
      return show({ title: 'Remove the operator', section, body })
    }),
  )
  operatorPage<Params>(
    app,
    context,
    web,
    { ...route, method: 'POST' },
    async ({ request, reply, origin, csrf, show }) => {
      const { id } = request.params
      const outcome = await removeOperator(context.database, origin, id)
      if (outcome.kind === 'done') return reply.redirect(`${url}?done=removed`, 303)
      return ofId(context, id, show, (operator) => {
        const page = { operator, fields: operator, csrf, mayWrite: true, faults: faultsOf(outcome) }
        return show({ title: operator.name, section, body: <OperatorPage {...page} /> }, 409)
      })
    },
  )
}

const noSuchRole: NotChanged = { kind: 'refused', reasons: ['choose a role'] }

function faultsOf(outcome: NotChanged): string[] {
  if (outcome.kind === 'not_found') return [outcome.reason]
  return [`Nothing was changed: ${outcome.reasons.join('; ')}.`]
}
