import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import type { Web } from './edge.tsx'

/** The page at `{auth_url}`: what this service is, and where users and developers go from here. */
export function frontRoutes(app: FastifyInstance, { baseUrl }: Config, web: Web): void {
  app.get('/', (request, reply) => {
    const texts = web.texts(request)
    const { heading, purpose, apps, docs } = texts.front
    const body = (
      <>
        <h1>{heading}</h1>
        <p>{purpose}</p>
        <dl>
          <dt>
            <a href="/connections">{apps.label}</a>
          </dt>
          <dd>{apps.text}</dd>
          <dt>
            <a href={`${baseUrl}docs`}>{docs.label}</a>
          </dt>
          <dd>{docs.text}</dd>
        </dl>
      </>
    )
    return web.page({ reply, texts, title: heading, body })
  })
}
