import type { FastifyInstance } from 'fastify'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Context } from '../context.ts'
import { type Developer, developerOf } from '../developers/sessions.ts'
import { type PeopleWeb, peopleEdge } from '../people/people-web.ts'
import { type DeveloperPage, renderDeveloperPage, roleNames } from './shell.tsx'
import { developerWords } from './words.tsx'

/**
 * Forms that each server accepts in a minute from all developers of an application. Each writes to the audit log, which is kept
 * for years, or sends webhooks. The developer API has the same limit.
 */
export const formsPerMinute = 120

/** How the routes send developer pages. `formLimiter` counts by client id. */
export type DeveloperWeb = PeopleWeb<Developer, DeveloperPage> & { formLimiter: RateLimiterMemory }

/** Sets up what the developer pages share. */
export async function developerEdge(app: FastifyInstance, context: Context): Promise<DeveloperWeb> {
  const formLimiter = new RateLimiterMemory({ points: formsPerMinute, duration: 60 })
  const web = await peopleEdge<Developer, DeveloperPage>(app, context, {
    kind: 'developer',
    words: developerWords,
    homeLabel: 'Open the developer pages',
    frame: { name: 'developers' },
    personOf: developerOf,
    roleOf: ({ app: current }) => current && roleNames[current.role],
    render: renderDeveloperPage,
  })
  return { ...web, formLimiter }
}
