import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { foldCase } from '../directory/case-folding.ts'
import { listFirms } from '../directory/requirements.sql.ts'
import { pageOfUsers } from '../directory/users.sql.ts'
import { findUser } from '../directory/users.ts'
import { directoryReads } from '../directory-api/directory-rows.sql.ts'
import { pageOfGrants } from '../grants/grants.sql.ts'
import { findSharedData } from '../households/user-households.sql.ts'
import { may } from '../operators/scopes.ts'
import { DoneQuery, pathText } from '../panel/fields.ts'
import { filled, listQuery, listRequest, pageOfRows } from '../panel/paging.ts'
import { listReads } from '../read-log/reads.ts'
import { listSessions } from '../sessions/sessions-of-user.ts'
import Type, { type Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { showMissing } from './missing.tsx'
import { operatorPage } from './operator-page.ts'
import { pageOfFoundUsers } from './search.sql.ts'
import { UserList } from './user-list.tsx'
import { UserPage } from './user-page.tsx'

const url = '/admin/users'
export const UserParams = Type.Object({ id: pathText })
export type UserRoute = { Params: Static<typeof UserParams> }

export const userAddress = (id: string) => `${url}/${encodeURIComponent(id)}`

/** Users: the list, and one user. */
export function userRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  list(app, context, web)
  oneUser(app, context, web)
}

function list(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const querystring = listQuery('q', 'firm_id', 'status', 'done')
  operatorPage<{ Querystring: Static<typeof querystring> }>(
    app,
    context,
    web,
    { url, scope: 'users:read', schema: { querystring } },
    async ({ request, operator, show }) => {
      const { database } = context
      const q = filled(request.query.q)
      const [firmId, status] = [filled(request.query.firm_id), filled(request.query.status)]
      const filters = [firmId ?? null, status ?? null]
      const page = listRequest(request.query)
      const [firms, found] = await Promise.all([
        database.run(listFirms, []),
        q === undefined
          ? database.run(pageOfUsers, [page.after, page.limit, ...filters])
          : database.expensive.run(pageOfFoundUsers, [q, foldCase(q), page.after, page.limit, ...filters]),
      ])
      const { rows, next } = pageOfRows(request, page, found, ({ id }) => id)
      const list = { users: rows, next, firms, filter: { q, firmId, status } }
      const mayWrite = may(operator, 'users:write')
      const body = <UserList {...list} mayWrite={mayWrite} done={done[request.query.done ?? '']} />
      return show({ title: 'Users', section: 'users', body })
    },
  )
}

const done: Record<string, string> = {
  added: 'The user is added. Invite the user to set a password.',
  saved: 'The user is changed.',
  erased: 'The person is erased. The audit log has the record of it.',
  disabled: 'The user is disabled. The sessions have ended, and partners can no longer read for this user.',
  enabled: 'The user is active. Partners that are still connected can read again.',
  sessions: 'The sessions have ended. Connections of partners go on.',
  factors: 'The second factors are removed, and the user is signed out everywhere.',
  invited: 'The invitation is on its way by mail. It replaces older links.',
}

function oneUser(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database } = context
  operatorPage<UserRoute & { Querystring: Static<typeof DoneQuery> }>(
    app,
    context,
    web,
    { url: `${url}/:id`, scope: 'users:read', schema: { params: UserParams, querystring: DoneQuery } },
    async ({ request, operator, csrf, show }) => {
      const user = await findUser(database, request.params.id)
      if (!user) return showMissing(show, 'users', 'user')
      const [row, sessions, grants, reads, shared] = await Promise.all([
        database.maybe(directoryReads.user.find, [user.id]),
        listSessions(database, user.id),
        database.run(pageOfGrants, [null, 50, user.id, null, true]),
        listReads(database, { userId: user.id }, { after: null, limit: 5 }),
        database.expensive.maybe(findSharedData, [user.id]),
      ])
      const body = (
        <UserPage
          user={user}
          source={row?.source ?? null}
          sessions={sessions}
          grants={grants}
          reads={reads.kind === 'reads' ? reads.reads : []}
          shared={shared}
          done={done[request.query.done ?? '']}
          csrf={csrf}
          mayWrite={may(operator, 'users:write')}
          mayChange={may(operator, 'directory:write')}
        />
      )
      return show({ title: user.name, section: 'users', body })
    },
  )
}
