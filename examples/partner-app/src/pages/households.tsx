import type { Household, Page } from '@latchkey/client'
import { Layout } from './layout.tsx'
import { Pager } from './pager.tsx'

interface HouseholdsProps extends Page<Household> {
  pattern: string
}

export function HouseholdsPage({ items, pattern, previous, next }: HouseholdsProps) {
  return (
    <Layout title="Households" connected>
      <h1>Households</h1>
      {/* biome-ignore lint/a11y/useSemanticElements: Pico styles the search form by its role. */}
      <form role="search" method="get" action="/households">
        <input
          type="search"
          name="name_pattern"
          value={pattern}
          maxLength={256}
          dir="auto"
          placeholder="Part of a name"
          aria-label="Part of a name"
        />
        <button type="submit">Search</button>
      </form>
      {items.length > 0 ? <HouseholdTable items={items} /> : <Nothing pattern={pattern} />}
      <Pager
        path="/households"
        query={pattern === '' ? {} : { name_pattern: pattern }}
        previous={previous}
        next={next}
      />
    </Layout>
  )
}

function HouseholdTable({ items }: { items: Household[] }) {
  return (
    <table class="striped">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Id</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ id, name }) => (
          <tr key={id}>
            <td>
              <a href={`/households/${encodeURIComponent(id)}`}>
                <bdi>{name?.trim() || 'Unnamed household'}</bdi>
              </a>
            </td>
            <td>
              <small>{id}</small>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Nothing({ pattern }: { pattern: string }) {
  if (pattern === '') return <p>There is no household on this page.</p>
  return (
    <p>
      No household has “<bdi>{pattern}</bdi>” in its name. <a href="/households">Show all</a>
    </p>
  )
}
