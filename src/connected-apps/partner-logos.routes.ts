import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { findLogo } from '../partners/partners.sql.ts'
import { assetHeaders } from '../web/assets.routes.ts'

/** The logos of partners, for the pages on which users see them. Their addresses are digests of their content. */
export function logoRoutes(app: FastifyInstance, { database }: Context): void {
  app.get<{ Params: { file: string } }>('/assets/partners/:file', async ({ params: { file } }, reply) => {
    const [, ending] = /^[\w-]{22}\.(png|webp)$/.exec(file) ?? []
    const logo = ending && (await database.maybe(findLogo, [file]))
    if (!logo) return reply.callNotFound()
    return reply.headers(assetHeaders).type(`image/${ending}`).send(logo.image)
  })
}
