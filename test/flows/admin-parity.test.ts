import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { scopes } from '../../src/operators/scopes.ts'
import { adminCaller, adminOperations, newKey } from '../support/admin.ts'
import { commandLine } from '../support/command-line.ts'
import { consoleForms } from '../support/console.ts'
import { query } from '../support/database.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { newOperator } from '../support/operators.ts'
import { testSecret } from '../support/server.ts'
import { commandsAlone, formsAlone, operationsAlone } from '../support/use-cases/alone.ts'
import { deploymentCases } from '../support/use-cases/deployment.ts'
import { developerCases } from '../support/use-cases/developers.ts'
import { partnerCases } from '../support/use-cases/partners.ts'
import type { Door, Subject, UseCase, UseCases, World } from '../support/use-cases/use-case.ts'
import { userCases } from '../support/use-cases/users.ts'
import { webhookCases } from '../support/use-cases/webhooks.ts'
import { typed } from '../support/visitor.ts'

// Every change that operators make leaves the same audit record through the command line, the admin API and the console: only
// its origin differs. `useCases` says through which doors each change is made, and why a door is missing.

const useCases: UseCases = {
  ...{ ...partnerCases, ...developerCases, ...webhookCases },
  ...{ ...userCases, ...deploymentCases },
}

const db = await databaseFixture()
const users = ['ada', 'bob', 'cli', 'api', 'console'].map((id) => ({ id }))
const server = await serverFixture({ on: db, users })
const cli = commandLine({ DATABASE_URL: db.url, LATCHKEY_SECRET: testSecret })
const call = adminCaller(server, await newKey(server, [...scopes]))
const { browser } = await newOperator(server, { name: 'Olive Owner' })
const { firm_id: firm, role } = (await call('GET', '/users/ada')).body
const world: World = { server, call, firm, role }

/** Makes the change through one door. Undefined: the use case does not have it. */
const throughDoor: Record<Door, (useCase: UseCase, subject: Subject) => Promise<void> | undefined> = {
  cli: ({ command }, subject) => command && runCommand(command(subject)),
  api: ({ request }, subject) => request && sendRequest(...request(subject)),
  console: ({ form }, subject) => form && submitForm(form(subject)),
}

async function runCommand(args: string[]): Promise<void> {
  const { code, stderr } = await cli.run(...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
}

async function sendRequest(method: string, path: string, body?: unknown): Promise<void> {
  const { status, body: answer } = await call(method, path, body)
  expect(status, JSON.stringify(answer)).toBeLessThan(300)
}

async function submitForm(form: ReturnType<NonNullable<UseCase['form']>>): Promise<void> {
  const page = await browser.get(`${server.authUrl}/admin${form.page}`)
  expect(page.status, form.page).toBe(200)
  const answer = await browser.postForm(page, `/admin${form.action ?? form.page}`, await typed(form.fields))
  expect([200, 303], answer.text).toContain(answer.status)
}

const origins: Record<Door, string> = {
  cli: 'cli os_user',
  api: 'admin_api api_key',
  console: 'console operator',
}

test.each(Object.entries(useCases).filter(([, { command }]) => command))(
  '%s: the same audit record through each door',
  async (_name, useCase) => {
    const records: Partial<Record<Door, unknown>> = {}
    for (const door of ['cli', 'api', 'console'] as const) {
      const made = { id: '', more: '', ...(await useCase.subject?.(world, door)) }
      const subject = { ...made, door, firm, role }
      const before = await lastId()
      const change = throughDoor[door](useCase, subject)
      if (!change) continue
      await change
      const rows = await rowsAfter(before)
      expect(rows).not.toEqual([])
      expect(new Set(rows.map(({ via, actor_kind: kind }) => `${via} ${kind}`))).toEqual(
        new Set([origins[door]]),
      )
      records[door] = rows.map((row) => comparable(row, made))
    }
    for (const record of Object.values(records)) expect(record).toEqual(records.cli)
  },
)

test('each use case has all doors, or a reason', () => {
  const isComplete = ({ command, request, operation, form }: UseCase) =>
    [command, request, operation, form].every((door) => door !== undefined)
  const wrong = Object.entries(useCases).filter(
    ([, useCase]) => isComplete(useCase) === (useCase.because !== undefined),
  )
  expect(wrong.map(([name]) => name)).toEqual([])
})

test('the use cases have every command, or there is a reason', async () => {
  const compared = Object.values(useCases).flatMap(({ command }) => {
    const args = command?.({ id: 'x', more: 'x', door: 'cli', firm, role }) ?? []
    return args.length > 0 ? [args.slice(0, 2).join(' ')] : []
  })
  const missing = (await commandNames()).filter(
    (name) => !compared.includes(name) && !(name in commandsAlone),
  )
  expect(missing).toEqual([])
})

test('the use cases have every operation of the admin API that changes something, or there is a reason', async () => {
  const compared = Object.values(useCases).map(({ operation }) => operation)
  const missing = (await adminOperations(server)).filter(
    ({ method, operationId }) =>
      method !== 'GET' && !compared.includes(operationId) && !(operationId in operationsAlone),
  )
  expect(missing).toEqual([])
})

test('the use cases have every form of the console that changes something, or there is a reason', async () => {
  const compared = Object.values(useCases).flatMap(({ form }) => {
    const { page, action = page } = form?.({ id: 'x', more: 'x', door: 'cli', firm: 'x', role: 'x' }) ?? {
      page: '',
    }
    return `/admin${action}`
  })
  const missing = consoleForms(server).filter(
    ({ url, pattern }) => !compared.some((path) => pattern.test(path)) && !(url in formsAlone),
  )
  expect(missing.map(({ url }) => url)).toEqual([])
})

type Row = {
  event: string
  target_kind: string
  target_id: string
  firm_id: string | null
  user_id: string | null
  client_id: string | null
  via: string
  actor_kind: string
  details: unknown
}

const rowsAfter = (id: string) =>
  query<Row>(
    server.database,
    `SELECT event, target_kind, target_id, firm_id, user_id, client_id, via, actor_kind, details
       FROM audit_log WHERE id > $1 ORDER BY id`,
    [id],
  )

const lastId = async () =>
  (await query<{ id: string }>(server.database, 'SELECT coalesce(max(id), 0)::text AS id FROM audit_log'))[0]
    ?.id ?? '0'

/** A row without its origin, and without what differs between two changes of the same kind. */
function comparable(
  { via: _via, actor_kind: _kind, ...row }: Row,
  made: { id: string; more: string },
): unknown {
  const details = JSON.stringify(row.details, (name, value) =>
    /_at$|_from$|generation|new_key|^kid$|^message$|hint/.test(name) && value !== null ? typeof value : value,
  )
  const isAbout = (id: string | null) =>
    id === null ? null : id === made.id || id === made.more ? 'subject' : 'other'
  return {
    ...{ event: row.event, target_kind: row.target_kind, firm: row.firm_id },
    ...{ target: isAbout(row.target_id), user: row.user_id && 'user', client: row.client_id && 'client' },
    // The doors are in ids and addresses of the subjects.
    details: details.replaceAll(/\b(cli|api|console)(-\w+)?@|[- ](cli|api|console)"/g, 'door'),
  }
}

/** The names of all commands: `partner create`, and `doctor`. */
async function commandNames(): Promise<string[]> {
  const main = await readFile(new URL('../../src/cli/main.ts', import.meta.url), 'utf8')
  const files = [...main.matchAll(/await import\('(\.\/[\w-]+\.ts)'\)\)\.(\w+)\(\)/g)]
  const roots = files.map(async ([, file = '', factory = '']) => {
    const module: Record<string, unknown> = await import(
      new URL(`../../src/cli/${file}`, import.meta.url).href
    )
    const make = module[factory]
    const made: unknown = typeof make === 'function' ? make() : undefined
    if (!(made instanceof Command)) throw new Error(`${factory} of ${file} makes no command`)
    return made.commands.length === 0
      ? [made.name()]
      : made.commands.map((command) => `${made.name()} ${command.name()}`)
  })
  return (await Promise.all(roots)).flat()
}
