import type { FastifyReply } from 'fastify'
import { pathText } from '../panel/fields.ts'
import { PageHead } from '../panel/page-parts.tsx'
import Type, { type Static } from '../typebox.ts'
import type { DeveloperPage, DeveloperSection } from './shell.tsx'

/** The pages of one application. */
export const appUrl = '/developers/apps/:client_id' as const

/** The id of what a page below an application is about. */
export const IdParams = Type.Object({ client_id: pathText, id: pathText })
export type IdRoute = { Params: Static<typeof IdParams> }

export type Show = (page: DeveloperPage, status?: number) => FastifyReply

/**
 * 404, with the navigation. The same for what does not exist and for what belongs to another application.
 * @param what `webhook`, for example
 */
export function showMissing(show: Show, section: DeveloperSection, what: string): FastifyReply {
  const body = (
    <>
      <PageHead title={`There is no such ${what}`} />
      <p>It was deleted, belongs to another application, or the address is incomplete.</p>
    </>
  )
  return show({ title: 'Not found', section, body }, 404)
}
