import type { FastifyInstance } from 'fastify'
import type { ComponentChildren } from 'preact'
import { type ApiKeyRow, listApiKeys } from '../admin/api-keys.sql.ts'
import type { Context } from '../context.ts'
import { foldCase } from '../directory/case-folding.ts'
import { findGrant, type Grant } from '../grants/grants.sql.ts'
import { type ListedKey, listKeys } from '../keys/key-states.ts'
import { isRowId } from '../management/page.ts'
import { may, type Scope } from '../operators/scopes.ts'
import type { Operator } from '../operators/sessions.ts'
import { Id, Name, PageHead, Section, State } from '../panel/page-parts.tsx'
import { filled, listQuery } from '../panel/paging.ts'
import { RequestTable } from '../panel/request-table.tsx'
import { Table } from '../panel/table.tsx'
import { type ExplainedRequest, listRequests } from '../request-log/requests.ts'
import type { Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { GrantTable } from './grant-table.tsx'
import { operatorPage } from './operator-page.ts'
import { PartnerTable } from './partner-list.tsx'
import { callAddress, callPartner, callUser } from './parts.tsx'
import {
  type FoundHousehold,
  type FoundPartner,
  type FoundUser,
  findHouseholds,
  findPartners,
  findUsers,
} from './search.sql.ts'
import { UserTable } from './user-list.tsx'

/** Results of one kind. The lists show more. */
const mostOfKind = 8

type Found = {
  partners: FoundPartner[]
  users: FoundUser[]
  households: FoundHousehold[]
  grants: Grant[]
  requests: ExplainedRequest[]
  signingKeys: ListedKey[]
  apiKeys: ApiKeyRow[]
}

/** The search of all pages: ids and names of everything. */
export function searchRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const querystring = listQuery('q')
  operatorPage<{ Querystring: Static<typeof querystring> }>(
    app,
    context,
    web,
    { url: '/admin/search', scope: 'any', schema: { querystring } },
    async ({ request, operator, show }) => {
      const query = filled(request.query.q)
      const found = query === undefined ? undefined : await findAll(context, operator, query)
      const body = <SearchPage query={query} found={found} />
      return show({ title: 'Search', body, ...(query !== undefined && { query }) })
    },
  )
}

/** Looks only where the operator may read. */
async function findAll(context: Context, operator: Operator, q: string): Promise<Found> {
  const { config, database, now } = context
  const { expensive } = database
  const ifAllowed = async <Row,>(scope: Scope, find: () => Promise<Row[]>): Promise<Row[]> =>
    may(operator, scope) ? find() : []
  const [partners, users, households, grants, requests, signingKeys, apiKeys] = await Promise.all([
    ifAllowed('partners:read', () => expensive.run(findPartners, [q, mostOfKind])),
    ifAllowed('users:read', () => expensive.run(findUsers, [q, foldCase(q), mostOfKind])),
    ifAllowed('directory:read', () => expensive.run(findHouseholds, [q, foldCase(q), mostOfKind])),
    ifAllowed('grants:read', async () => (isRowId(q) ? database.run(findGrant, [q]) : [])),
    ifAllowed('logs:read', async () => {
      const page = { after: null, limit: mostOfKind }
      const outcome = await listRequests(database, config.baseUrl, { requestId: q }, page)
      return outcome.kind === 'requests' ? outcome.requests : []
    }),
    ifAllowed('keys:read', async () => (await listKeys(database, now())).filter(({ kid }) => kid === q)),
    ifAllowed('operators:read', async () => {
      const keys = await database.run(listApiKeys, [])
      return keys.filter(({ id, name }) => id === q || foldCase(name).includes(foldCase(q)))
    }),
  ])
  return { partners, users, households, grants, requests, signingKeys, apiKeys }
}

function SearchPage({ query, found }: { query: string | undefined; found: Found | undefined }) {
  const isEmpty = found !== undefined && Object.values(found).every((rows) => rows.length === 0)
  return (
    <>
      <PageHead
        title={
          query === undefined ? (
            'Search'
          ) : (
            <>
              Results for “<bdi>{query}</bdi>”
            </>
          )
        }
      />
      {found === undefined && (
        <p>
          Enter a name or an id at the top: of a partner, user, household, request, grant or key. The key{' '}
          <kbd>/</kbd> leads there from every page.
        </p>
      )}
      {isEmpty && (
        <div class="panel">
          <p class="nothing">
            Nothing has this name or id. Ids of requests, grants and keys must be complete. The request log
            keeps only the last days.
          </p>
        </div>
      )}
      {found && <Groups found={found} query={query ?? ''} />}
    </>
  )
}

function Groups({ found, query }: { found: Found; query: string }) {
  const search = new URLSearchParams({ q: query })
  return (
    <>
      <Group id="partners" title="Partners" of={found.partners} more={`/admin/partners?${search}`}>
        <PartnerTable partners={found.partners} empty="" />
      </Group>
      <Group id="users" title="Users" of={found.users} more={`/admin/users?${search}`}>
        <UserTable users={found.users} empty="" />
      </Group>
      <Group id="households" title="Households" of={found.households}>
        <HouseholdTable households={found.households} />
      </Group>
      <Group id="grants" title="Grants" of={found.grants}>
        <GrantTable grants={found.grants} empty="" />
      </Group>
      <Group id="requests" title="Requests" of={found.requests}>
        <RequestTable
          requests={found.requests}
          address={callAddress}
          parties={[callPartner, callUser]}
          empty=""
        />
      </Group>
      <Group id="signing-keys" title="Signing keys" of={found.signingKeys} more="/admin/keys">
        <Table
          caption="Signing keys"
          rows={found.signingKeys}
          keyOf={({ kid }) => kid}
          empty=""
          columns={[
            {
              label: 'Key id',
              cell: ({ kid }) => (
                <a href="/admin/keys">
                  <Id>{kid}</Id>
                </a>
              ),
            },
            { label: 'State', cell: ({ state }) => <State tone="plain">{state}</State> },
          ]}
        />
      </Group>
      <Group id="api-keys" title="API keys" of={found.apiKeys} more="/admin/api-keys">
        <Table
          caption="API keys"
          rows={found.apiKeys}
          keyOf={({ id }) => id}
          empty=""
          columns={[
            {
              label: 'Name',
              cell: ({ name }) => (
                <a href="/admin/api-keys">
                  <Name>{name}</Name>
                </a>
              ),
            },
            { label: 'Id', cell: ({ id }) => <Id>{id}</Id> },
            { label: 'State', cell: ({ state }) => <State tone="plain">{state}</State> },
          ]}
        />
      </Group>
    </>
  )
}

function Group(props: {
  id: string
  title: string
  of: unknown[]
  more?: string
  children: ComponentChildren
}) {
  const { id, title, of, more, children } = props
  if (of.length === 0) return null
  return (
    <Section
      id={id}
      title={title}
      {...(more && { more: { label: `All ${title.toLowerCase()}`, href: more } })}
    >
      {children}
    </Section>
  )
}

function HouseholdTable({ households }: { households: FoundHousehold[] }) {
  return (
    <Table
      caption="Households"
      rows={households}
      keyOf={({ id }) => id}
      empty=""
      columns={[
        {
          label: 'Name',
          cell: ({ id, name }) => (
            <a href={`/admin/reads?${new URLSearchParams({ household_id: id })}`}>
              <bdi>{name ?? id}</bdi>
              <span class="hidden">: who has read it</span>
            </a>
          ),
        },
        { label: 'Id', cell: ({ id }) => <Id>{id}</Id> },
        { label: 'Firm', cell: ({ firm_id: firm }) => <Id>{firm}</Id> },
      ]}
    />
  )
}
