import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import type { Database } from '../database/database.ts'
import { foldCase } from '../directory/case-folding.ts'
import { problemReason } from '../errors/catalogue.ts'
import { type Answer, conflict, created, notFound, ok, refused } from '../management/answers.ts'
import { type ListedOperator, listOperators } from '../operators/operators.sql.ts'
import { changeOperator, createOperator, removeOperator } from '../operators/operators.ts'
import { type Actor, may, type Role, scopesOf } from '../operators/scopes.ts'
import { type NotChanged, resetCredentials } from '../people/accounts.ts'
import { adminAddress } from './admin-document.ts'
import { adminRoute } from './admin-edge.ts'
import {
  createOperatorRoute,
  listOperatorsRoute,
  removeOperatorRoute,
  resetOperatorRoute,
  updateOperatorRoute,
} from './operators.operations.ts'

/** The people who use the console, with the use cases of `latchkey operator`. */
export function operatorRoutes(app: FastifyInstance, context: Context): void {
  adminRoute(app, context, listOperatorsRoute, async ({ database }) =>
    ok({ data: await database.run(listOperators, [null]) }),
  )
  creation(app, context)
  changes(app, context)
}

function creation(app: FastifyInstance, context: Context): void {
  const { config } = context
  adminRoute(app, context, createOperatorRoute, async ({ request: { body }, actor, origin, database }) => {
    const refusal = beyondKey(actor, body.role)
    if (refusal) return refusal
    const outcome = await createOperator(database, origin, config, body)
    if (outcome.kind !== 'done') return notChanged(outcome)
    const [operator] = await database.run(listOperators, [outcome.id])
    return created(adminAddress(config, 'operators', outcome.id), operator, { setup_url: outcome.link })
  })

  adminRoute(app, context, resetOperatorRoute, ({ request: { params }, actor, origin, database }) =>
    ofOperator(database, actor, params.id, async ({ id }) => {
      const outcome = await resetCredentials(database, origin, { config, kind: 'operator' }, id)
      if (outcome.kind !== 'done') return notChanged(outcome)
      const [operator] = await database.run(listOperators, [id])
      return created(adminAddress(config, 'operators', id), operator, { setup_url: outcome.link })
    }),
  )
}

function changes(app: FastifyInstance, context: Context): void {
  adminRoute(app, context, updateOperatorRoute, ({ request, actor, origin, database }) =>
    ofOperator(database, actor, request.params.id, async ({ id }) => {
      const { body } = request
      const refusal = body.role && beyondKey(actor, body.role)
      if (refusal) return refusal
      const outcome = await changeOperator(database, origin, id, body)
      if (outcome.kind !== 'done') return notChanged(outcome)
      const [operator] = await database.run(listOperators, [id])
      return operator ? ok(operator) : noSuchOperator
    }),
  )

  adminRoute(app, context, removeOperatorRoute, ({ request: { params }, actor, origin, database }) =>
    ofOperator(database, actor, params.id, async (operator) => {
      const outcome = await removeOperator(database, origin, operator.id)
      if (outcome.kind === 'refused') return conflict(`Nothing was changed: ${outcome.reasons.join('; ')}.`)
      return outcome.kind === 'done' ? ok(operator) : noSuchOperator
    }),
  )
}

const noSuchOperator = notFound('There is no operator with this id or address.')

/** A key must not change an operator who may do more than the key: it would give itself a link to that account. */
async function ofOperator(
  database: Database,
  actor: Actor,
  idOrEmail: string,
  act: (operator: ListedOperator) => Promise<Answer>,
): Promise<Answer> {
  const [operator] = await database.run(listOperators, [foldCase(idOrEmail)])
  if (!operator) return noSuchOperator
  return beyondKey(actor, operator.role) ?? act(operator)
}

function beyondKey(actor: Actor, role: Role): Answer | undefined {
  const missing = [...scopesOf(role)].filter((scope) => !may(actor, scope))
  if (missing.length === 0) return undefined
  const { code, explanation } = problemReason('role_beyond_key', missing.join(', '))
  return { kind: 'problem', code, detail: explanation }
}

function notChanged(outcome: NotChanged): Answer {
  if (outcome.kind === 'not_found') return noSuchOperator
  return refused([`Nothing was changed: ${outcome.reasons.join('; ')}.`])
}
