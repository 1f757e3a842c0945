import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import type { Queries } from '../database/database.ts'
import { type Member, membersOf } from '../developers/members.sql.ts'
import { changeMember, inviteDeveloper, removeMember } from '../developers/members.ts'
import { conflict, created, notFound, ok, refused } from '../management/answers.ts'
import { isUuid } from '../webhooks/endpoints.ts'
import { developerAddress } from './developer-document.ts'
import { developerRoute } from './developer-edge.ts'
import {
  changeDeveloperRoute,
  inviteDeveloperRoute,
  listDevelopersRoute,
  removeDeveloperRoute,
} from './people.operations.ts'

const noSuchDeveloper = notFound('Your application has no developer with this id.')
const lastAdmin = conflict(
  'This is the last admin of the application. Make another developer admin first, or ask the operator.',
)

/** The people of an application, with the use cases of the developer pages. */
export function peopleRoutes(app: FastifyInstance, context: Context): void {
  const { config } = context
  developerRoute(app, context, listDevelopersRoute, async ({ database, clientId }) =>
    ok({ data: await database.run(membersOf, [clientId]) }),
  )

  developerRoute(app, context, inviteDeveloperRoute, async ({ request, origin, database, clientId }) => {
    const by = { config, by: 'admin' } as const
    const outcome = await inviteDeveloper(database, origin, by, { clientId, ...request.body })
    if (outcome.kind === 'unknown') return notFound('The application no longer exists.')
    if (outcome.kind === 'refused') return refused(outcome.reasons)
    const address = developerAddress(config, 'developers', outcome.id)
    return created(address, await find(database, clientId, outcome.id))
  })

  developerRoute(app, context, changeDeveloperRoute, async ({ request, origin, database, clientId }) => {
    const { id } = request.params
    // The use case also takes an address.
    if (!isUuid(id)) return noSuchDeveloper
    const change = { clientId, developer: id, role: request.body.role }
    const outcome = await changeMember(database, origin, 'admin', change)
    if (outcome.kind === 'last_admin') return lastAdmin
    const developer = outcome.kind === 'done' ? await find(database, clientId, outcome.id) : undefined
    return developer ? ok(developer) : noSuchDeveloper
  })

  developerRoute(app, context, removeDeveloperRoute, async ({ request, origin, database, clientId }) => {
    const { id } = request.params
    if (!isUuid(id)) return noSuchDeveloper
    const removal = { clientId, developer: id }
    const { kind } = await removeMember(database, origin, 'admin', removal)
    if (kind === 'last_admin') return lastAdmin
    return kind === 'done' ? { kind: 'empty' } : noSuchDeveloper
  })
}

async function find(database: Queries, clientId: string, developerId: string): Promise<Member | undefined> {
  const members = await database.run(membersOf, [clientId])
  return members.find(({ id }) => id === developerId)
}
