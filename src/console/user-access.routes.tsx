import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { foldCase } from '../directory/case-folding.ts'
import type { UserFacts } from '../directory/users.sql.ts'
import { findUser } from '../directory/users.ts'
import { type AccessExplanation, explainAccess } from '../explain/explain-access.ts'
import { listHouseholdsOfUser } from '../households/user-households.sql.ts'
import { Field, Filters } from '../panel/forms.tsx'
import { amount, Facts, Id, PageHead, Section, State } from '../panel/page-parts.tsx'
import { filled, listQuery } from '../panel/paging.ts'
import { Table } from '../panel/table.tsx'
import type { Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { showMissing } from './missing.tsx'
import { operatorPage } from './operator-page.ts'
import { type FoundHousehold, findHouseholds } from './search.sql.ts'
import { UserParams, type UserRoute, userAddress } from './users.routes.tsx'

/** Households that the page names. */
const firstHouseholds = 30

/** Households with this name that the page offers. */
const mostFound = 20

/** Why a user sees a household, or not, and which households the user sees first. */
export function userAccessRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database } = context
  const querystring = listQuery('household')
  operatorPage<UserRoute & { Querystring: Static<typeof querystring> }>(
    app,
    context,
    web,
    { url: '/admin/users/:id/access', scope: 'users:read', schema: { params: UserParams, querystring } },
    async ({ request, show }) => {
      const user = await findUser(database, request.params.id)
      if (!user) return showMissing(show, 'users', 'user')
      const household = filled(request.query.household)
      const [seen, found] = await Promise.all([
        database.expensive.maybe(listHouseholdsOfUser, [user.id, firstHouseholds, 0]),
        household === undefined
          ? []
          : database.expensive.run(findHouseholds, [household, foldCase(household), mostFound]),
      ])
      const isId = found[0]?.id === household
      const explanation =
        household !== undefined && (isId || found.length === 0)
          ? await explainAccess(database, user.id, household)
          : undefined
      const body = (
        <AccessPage
          user={user}
          household={household}
          explanation={explanation}
          found={isId ? [] : found}
          names={seen?.names ?? []}
          households={seen?.households ?? 0}
        />
      )
      return show({ title: `What ${user.name} can see`, section: 'users', body })
    },
  )
}

function AccessPage(props: {
  user: UserFacts
  household: string | undefined
  explanation: AccessExplanation | undefined
  found: FoundHousehold[]
  names: string[]
  households: number
}) {
  const { user, household, explanation, found, names, households } = props
  const address = `${userAddress(user.id)}/access`
  return (
    <>
      <PageHead
        title={
          <>
            What <bdi>{user.name}</bdi> can see
          </>
        }
        back={{ label: user.name, href: userAddress(user.id) }}
        intro="Applications that the user has connected see the same households."
      />
      <Filters action={address}>
        <Field
          name="household"
          label="Household: id, or a part of its name"
          value={household}
          maxLength={200}
        />
      </Filters>
      {explanation && <Explanation {...explanation} />}
      {found.length > 0 && <HouseholdChoice address={address} found={found} />}
      <SeenHouseholds names={names} total={households} />
    </>
  )
}

function HouseholdChoice({ address, found }: { address: string; found: FoundHousehold[] }) {
  return (
    <Section id="found" title="Which household?">
      <Table
        caption="Households with this name"
        rows={found}
        keyOf={({ id }) => id}
        empty=""
        columns={[
          {
            label: 'Name',
            cell: ({ id, name }) => (
              <a href={`${address}?${new URLSearchParams({ household: id })}`}>
                <bdi>{name ?? id}</bdi>
              </a>
            ),
          },
          { label: 'Id', cell: ({ id }) => <Id>{id}</Id> },
          { label: 'Firm', cell: ({ firm_id: firm }) => <Id>{firm}</Id> },
        ]}
      />
    </Section>
  )
}

function SeenHouseholds({ names, total }: { names: string[]; total: number }) {
  return (
    <Section
      id="households"
      title={
        total > names.length
          ? `The first ${names.length} of ${amount(total)} households`
          : `The households of this user`
      }
    >
      <div class="panel">
        {names.length === 0 ? (
          <p class="nothing">
            The user sees no household. Enter one above: the page then says which access would show it.
          </p>
        ) : (
          <ul class="name-list">
            {names.map((name, place) => (
              // Two households may have the same name.
              <li key={`${place} ${name}`}>
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Section>
  )
}

function Explanation(explanation: AccessExplanation) {
  const { visible, reason, since, change, accounts, household_id: id, household_name: name } = explanation
  return (
    <Section id="explanation" title={name ?? id ?? 'Unknown household'}>
      <div class={`verdict ${visible ? 'ok' : 'danger'}`}>
        <p>{visible ? <State tone="ok">visible</State> : <State tone="danger">not visible</State>}</p>
        <p class="answer">{reason}</p>
        {since !== '' && <p>{since}</p>}
        <p>
          <strong>What would change it:</strong> {change}
        </p>
      </div>
      {id !== null && (
        <Facts
          items={{
            Household: <Id>{id}</Id>,
            Firm: explanation.household_firm_id ? <Id>{explanation.household_firm_id}</Id> : undefined,
            'Firm of the user': explanation.firm_id ? <Id>{explanation.firm_id}</Id> : undefined,
            'Connected applications': amount(explanation.live_grants),
            'Who has read it': (
              <a href={`/admin/reads?${new URLSearchParams({ household_id: id })}`}>
                Reads of this household
              </a>
            ),
          }}
        />
      )}
      {accounts.length > 0 && (
        <Table
          caption="Accounts of the household"
          rows={accounts}
          keyOf={(account) => account.id}
          empty=""
          columns={[
            { label: 'Account', cell: (account) => <Id>{account.id}</Id> },
            { label: 'Status', cell: ({ status }) => status },
            {
              label: 'Shown',
              cell: ({ shown }) => (shown ? <State tone="ok">yes</State> : <State tone="plain">no</State>),
            },
            { label: 'Why', cell: (account) => account.reason },
          ]}
        />
      )}
    </Section>
  )
}
