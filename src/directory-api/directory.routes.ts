import type { FastifyInstance } from 'fastify'
import { adminPath } from '../admin/admin-document.ts'
import { adminRoute } from '../admin/admin-edge.ts'
import type { Origin } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import type { Database } from '../database/database.ts'
import {
  applyChange,
  type ChangeOutcome,
  inDirectoryTransaction,
  prepareChange,
} from '../import/change-directory.ts'
import { ChangeSet, type ChangeType, changeTypes } from '../import/change-set.ts'
import { type Answer, conflict, created, directoryBusy, notFound, ok } from '../management/answers.ts'
import { type IdempotencyKey, once } from '../management/idempotency.ts'
import { pageAnswer, pageRequestOf, withFilters } from '../management/page.ts'
import { reservedIn } from '../sandbox/data.ts'
import { keyParameter, operationsOf, postChanges } from './directory.operations.ts'
import { type DirectoryRow, directoryReads } from './directory-rows.sql.ts'
import { readChanges } from './read-changes.ts'

/** The directory: changes of many rows, and each resource. */
export function directoryRoutes(app: FastifyInstance, context: Context): void {
  app.register(async (ndjson) => {
    ndjson.removeAllContentTypeParsers()
    const types = ['application/x-ndjson', 'application/ndjson']
    ndjson.addContentTypeParser(types, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    adminRoute(ndjson, context, postChanges, async ({ request, origin, key }) => {
      const body: unknown = request.body
      const change = await readChanges(Buffer.isBuffer(body) ? body : Buffer.alloc(0))
      return carryOut(context, { origin, change, key }, answerOfMany)
    })
  })
  resource(app, context, 'firm', 'firms')
  resource(app, context, 'role', 'roles')
  resource(app, context, 'user', 'users')
  resource(app, context, 'household', 'households')
  resource(app, context, 'account', 'accounts')
  resource(app, context, 'access', 'access')
}

type Work = { origin: Origin; change: ChangeSet; key?: IdempotencyKey | undefined }

async function carryOut(
  { config, database }: Context,
  { origin, change, key }: Work,
  answerOf: (outcome: ChangeOutcome) => Answer,
): Promise<Answer> {
  const reserved = reservedIn(config)
  const refused = await prepareChange(database, change, reserved)
  if (refused) return answerOf(refused)
  const answer = await inDirectoryTransaction(
    database,
    (transaction) => {
      const apply = async () => answerOf(await applyChange(transaction, origin, change, reserved))
      return key ? once(transaction, key, apply) : apply()
    },
    ({ kind }) => kind !== 'problem',
  )
  return answer === 'busy' ? directoryBusy : answer
}

function answerOfMany(outcome: ChangeOutcome): Answer {
  if (outcome.kind === 'changed') {
    const { counts, changedAt, keptDisabled, weakerLogins } = outcome
    return ok({ changed_at: changedAt, counts, kept_disabled: keptDisabled, weaker_logins: weakerLogins })
  }
  const { faults, total } = outcome
  const errors = faults.map(({ line, field, detail }) => ({ line, parameter: field || 'line', detail }))
  const [first] = errors
  const detail = `Line ${first?.line}: ${first?.parameter} ${first?.detail}. ${total === 1 ? 'There is 1 fault' : `There are ${total} faults`}. Nothing was changed.`
  return { kind: 'problem', code: 'invalid_content', detail, errors }
}

/** The four operations of one type. */
function resource(app: FastifyInstance, context: Context, type: ChangeType, path: string): void {
  const { list, read, put, remove } = operationsOf(type, path)
  const { noun, key } = changeTypes[type]
  const { authUrl } = context.config
  const address = `${authUrl}${adminPath}/directory/${path}`
  const keyOf = (params: Record<string, unknown>) =>
    key.map((column): [string, string] => [column, String(params[keyParameter(type, column)])])
  const missing = notFound(`There is no such ${noun}.`)

  adminRoute(app, context, list, async ({ request: { query }, database }) =>
    listRows(database, type, address, query),
  )

  adminRoute(app, context, read, async ({ request: { params }, database }) => {
    const row = await findRow(database, type, keyOf(params))
    return row ? ok(row) : missing
  })

  adminRoute(app, context, put, async ({ request: { params, body }, origin, database }) => {
    const change = new ChangeSet()
    const given = keyOf(params)
    change.add(1, { ...Object(body), ...Object.fromEntries(given), op: 'upsert', type })
    let isNew = false
    const answer = await carryOut(context, { origin, change }, (outcome) => {
      if (outcome.kind === 'refused') return refusedFields(outcome)
      isNew = outcome.counts[type]?.added === 1
      return { kind: 'empty' }
    })
    if (answer.kind === 'problem') return answer
    const row = await findRow(database, type, given)
    const location = `${address}/${given.map(([, value]) => encodeURIComponent(value)).join('/')}`
    return isNew ? created(location, row) : ok(row)
  })

  adminRoute(app, context, remove, async ({ request: { params }, origin }) => {
    const change = new ChangeSet()
    change.add(1, { ...Object.fromEntries(keyOf(params)), op: 'delete', type })
    if (change.faults.total > 0) return missing
    return carryOut(context, { origin, change }, (outcome) => {
      if (outcome.kind === 'refused')
        return conflict(`${outcome.faults.map(({ detail }) => detail).join('; ')}. Nothing was deleted.`)
      return outcome.counts[type]?.deleted === 1 ? { kind: 'empty' } : missing
    })
  })
}

function refusedFields({ faults }: ChangeOutcome & { kind: 'refused' }): Answer {
  const errors = faults.map(({ field, detail }) => ({ parameter: field, detail }))
  const detail = errors.map(({ parameter, detail }) => `${parameter} ${detail}.`).join(' ')
  return { kind: 'problem', code: 'invalid_content', detail, errors }
}

function findRow(
  database: Database,
  type: ChangeType,
  key: [string, string][],
): Promise<DirectoryRow | undefined> {
  return database.maybe(
    directoryReads[type].find,
    key.map(([, value]) => withoutNul(value)),
  )
}

async function listRows(
  database: Database,
  type: ChangeType,
  url: string,
  query: Record<string, unknown>,
): Promise<Answer> {
  const { order, list, filtered } = directoryReads[type]
  const { limit, cursor } = query
  const page = pageRequestOf({
    ...(typeof limit === 'number' && { limit }),
    ...(typeof cursor === 'string' && { cursor }),
  })
  const after = (page.after ?? '').split('\n')
  const values = [...order.map((_, index) => after[index] ?? ''), page.limit]
  const [column = ''] = Object.keys(filtered).filter((column) => typeof query[column] === 'string')
  const statement = filtered[column]
  const wanted = String(query[column])
  const address = withFilters(url, { limit: page.limit - 1, ...(statement && { [column]: wanted }) })
  const rows = await (statement
    ? database.run(statement, [...values, withoutNul(wanted)])
    : database.run(list, values))
  return pageAnswer(address, page, rows, (row) => order.map((name) => row[name]).join('\n'))
}

/** No stored text contains NUL, and PostgreSQL refuses it in parameters. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '\uFFFD')
}
