import type { FastifyReply } from 'fastify'
import { PageHead } from '../panel/page-parts.tsx'
import type { ConsolePage, Section } from './shell.tsx'

type Show = (page: ConsolePage, status?: number) => FastifyReply

/** 404, with the navigation. @param what `partner`, for example */
export function showMissing(show: Show, section: Section, what: string): FastifyReply {
  const body = (
    <>
      <PageHead title={`There is no such ${what}`} />
      <p>It was deleted, or the address is incomplete. Look for it with the search at the top.</p>
    </>
  )
  return show({ title: 'Not found', section, body }, 404)
}
