import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sessionCookie } from '../cookies.ts'
import type { HouseholdsApi } from '../households-api.ts'
import { AccountsPage } from '../pages/accounts.tsx'
import { HouseholdsPage } from '../pages/households.tsx'
import { sendPage } from '../pages/layout.tsx'

export function registerHouseholds(app: FastifyInstance, api: HouseholdsApi) {
  app.get('/households', async (request, reply) => {
    const query = readQuery(request)
    const households = await api.households(query, request.cookies[sessionCookie])
    return sendPage(reply, <HouseholdsPage {...households} pattern={query.get('name_pattern') ?? ''} />)
  })

  app.get<{ Params: { id: string } }>('/households/:id', async (request, reply) => {
    const { id } = request.params
    const accounts = await api.accounts(id, readQuery(request), request.cookies[sessionCookie])
    return sendPage(reply, <AccountsPage {...accounts} householdId={id} />)
  })
}

// The pages of this app have the same query parameters as the API. The query of an API link therefore works here too.
function readQuery(request: FastifyRequest) {
  const query = new URL(request.url, 'http://localhost').searchParams
  query.set('page_size', '25')
  return query
}
