import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import type { UserFacts } from '../directory/users.sql.ts'
import { findUser } from '../directory/users.ts'
import { may } from '../operators/scopes.ts'
import { formText } from '../panel/fields.ts'
import { PostForm, TypedConfirmation } from '../panel/forms.tsx'
import { Faults, PageHead, Section } from '../panel/page-parts.tsx'
import { eraseUser, exportUser } from '../persons/persons.ts'
import Type, { type Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { showMissing } from './missing.tsx'
import { operatorPage } from './operator-page.ts'
import { UserParams, type UserRoute, userAddress } from './users.routes.tsx'

const url = '/admin/users/:id'
const schema = { params: UserParams }
const Confirmed = Type.Object({ confirmation: formText() })

/** The data of a person: an export, and the erasure. */
export function userDataRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database } = context
  const scope = 'users:write' as const
  operatorPage<UserRoute>(
    app,
    context,
    web,
    { url: `${url}/data`, scope, recent: true, schema },
    async ({ request, operator, csrf, show }) => {
      const user = await findUser(database, request.params.id)
      if (!user) return showMissing(show, 'users', 'user')
      const mayErase = may(operator, 'directory:write')
      const body = <DataPage user={user} csrf={csrf} faults={[]} mayErase={mayErase} />
      return show({ title: `Data of ${user.name}`, section: 'users', body })
    },
  )
  operatorPage<UserRoute>(
    app,
    context,
    web,
    { method: 'POST', url: `${url}/export`, scope, recent: true, schema },
    async ({ request, reply, origin, show }) => {
      const exported = await exportUser(database, origin, request.params.id)
      if (!exported) return showMissing(show, 'users', 'user')
      return reply
        .header('content-disposition', 'attachment; filename="person.json"')
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(exported, null, 2))
    },
  )
  erasure(app, context, web)
}

function erasure(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database } = context
  operatorPage<UserRoute & { Body: Static<typeof Confirmed> }>(
    app,
    context,
    web,
    {
      ...{ method: 'POST', url: `${url}/erase`, scope: 'directory:write', recent: true },
      schema: { ...schema, body: Confirmed },
    },
    async ({ request, reply, origin, csrf, show }) => {
      const user = await findUser(database, request.params.id)
      if (!user) return showMissing(show, 'users', 'user')
      const refuse = (fault: string, status: number) => {
        const body = <DataPage user={user} csrf={csrf} faults={[fault]} mayErase />
        return show({ title: `Data of ${user.name}`, section: 'users', body }, status)
      }
      if (request.body.confirmation?.trim() !== user.id) {
        return refuse('Nothing was erased: type the id exactly as it is shown.', 422)
      }
      const outcome = await eraseUser(database, origin, user.id)
      if (outcome.kind === 'erased') return reply.redirect('/admin/users?done=erased', 303)
      if (outcome.kind === 'unknown') return showMissing(show, 'users', 'user')
      return refuse('Nothing was erased: the user is active. Disable the user first.', 409)
    },
  )
}

function DataPage(props: { user: UserFacts; csrf: string; faults: string[]; mayErase: boolean }) {
  const { user, csrf, faults, mayErase } = props
  const address = userAddress(user.id)
  return (
    <>
      <PageHead
        title={
          <>
            Data of <bdi>{user.name}</bdi>
          </>
        }
        back={{ label: user.name, href: address }}
        intro="For a person who asks what is stored about them, or wants it erased."
      />
      <Faults faults={faults} />
      <Section id="export" title="Export">
        <p>
          A file with the user, sessions, grants, and the rows of the audit log, read log and request log. It
          has no secrets. The audit log records the export.
        </p>
        <PostForm action={`${address}/export`} csrf={csrf}>
          <button type="submit" class="secondary">
            Download the data
          </button>
        </PostForm>
      </Section>
      {mayErase && <Erasure user={user} csrf={csrf} />}
    </>
  )
}

function Erasure({ user, csrf }: { user: UserFacts; csrf: string }) {
  return (
    <section class="danger-zone" aria-labelledby="erase">
      <div class="section-head">
        <h2 id="erase">Erase the person</h2>
      </div>
      <p>
        Deletes the user with sessions, second factors, grants and access. The read log keeps a pseudonym. The
        audit log stays. This cannot be undone.
      </p>
      {user.status === 'active' ? (
        <p>
          This user is active. Remove the user from the data of the platform, or the next import adds the user
          again. Then disable the user, and come back.
        </p>
      ) : (
        <PostForm action={`${userAddress(user.id)}/erase`} csrf={csrf}>
          <TypedConfirmation word={user.id} />
          <button type="submit" class="danger">
            Erase the person
          </button>
        </PostForm>
      )}
    </section>
  )
}
