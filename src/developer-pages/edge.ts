import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { type Developer, developerOf } from '../developers/sessions.ts'
import { type PeopleWeb, peopleEdge } from '../people/people-web.ts'
import { type DeveloperPage, renderDeveloperPage, roleNames } from './shell.tsx'
import { developerWords } from './words.tsx'

/** How the slices send developer pages. */
export type DeveloperWeb = PeopleWeb<Developer, DeveloperPage>

/** Sets up what the developer pages share. */
export function developerEdge(app: FastifyInstance, context: Context): Promise<DeveloperWeb> {
  return peopleEdge<Developer, DeveloperPage>(app, context, {
    kind: 'developer',
    words: developerWords,
    homeLabel: 'Open the developer pages',
    frame: { name: 'developers' },
    personOf: developerOf,
    roleOf: ({ app: current }) => current && roleNames[current.role],
    render: renderDeveloperPage,
  })
}
