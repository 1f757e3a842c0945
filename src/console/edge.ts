import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { type Operator, operatorOf } from '../operators/sessions.ts'
import { type PeopleWeb, peopleEdge } from '../people/people-web.ts'
import { type ConsolePage, consoleFrame, renderConsolePage, roleNames } from './shell.tsx'
import { consoleWords } from './words.tsx'

/** How the routes send pages of the console. */
export type ConsoleWeb = PeopleWeb<Operator, ConsolePage>

/** Sets up what the pages of the console share. */
export function consoleEdge(app: FastifyInstance, context: Context): Promise<ConsoleWeb> {
  return peopleEdge<Operator, ConsolePage>(app, context, {
    kind: 'operator',
    words: consoleWords,
    homeLabel: 'Open the overview',
    frame: consoleFrame,
    personOf: operatorOf,
    roleOf: ({ role }) => roleNames[role],
    render: renderConsolePage,
  })
}
