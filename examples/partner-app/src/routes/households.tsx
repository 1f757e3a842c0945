import type { Latchkey } from '@latchkey/client'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sessionCookie } from '../cookies.ts'
import { AccountsPage } from '../pages/accounts.tsx'
import { HouseholdsPage } from '../pages/households.tsx'
import { sendPage } from '../pages/layout.tsx'

export function registerHouseholds(app: FastifyInstance, latchkey: Latchkey) {
  const clientOf = (request: FastifyRequest) => latchkey.client(request.cookies[sessionCookie] ?? '')

  app.get('/households', async (request, reply) => {
    const query = queryOf(request)
    const pattern = query.get('name_pattern') ?? ''
    const households = await clientOf(request).householdsPage({
      page: pageOf(query),
      pageSize: 25,
      namePattern: pattern,
    })
    return sendPage(reply, <HouseholdsPage {...households} pattern={pattern} />)
  })

  app.get<{ Params: { id: string } }>('/households/:id', async (request, reply) => {
    const { id } = request.params
    const page = pageOf(queryOf(request))
    const accounts = await clientOf(request).accountsPage(id, { page, pageSize: 25 })
    return sendPage(reply, <AccountsPage {...accounts} householdId={id} />)
  })
}

function queryOf(request: FastifyRequest): URLSearchParams {
  return new URL(request.url, 'http://localhost').searchParams
}

// Not checked here: the API refuses what is not a page number, and says so.
const pageOf = (query: URLSearchParams) => Number(query.get('page') ?? 0)
