import type { Account, Neighbours } from '../households-api.ts'
import { Layout } from './layout.tsx'
import { Pager } from './pager.tsx'

interface AccountsProps extends Neighbours {
  householdId: string
  items: Account[]
}

export function AccountsPage({ householdId, items, previous, next }: AccountsProps) {
  return (
    <Layout title="Accounts" connected>
      <hgroup>
        <h1>Accounts</h1>
        <p>
          of household <bdi>{householdId}</bdi>
        </p>
      </hgroup>
      {items.length > 0 ? <AccountTable items={items} /> : <p>There is no account on this page.</p>}
      <Pager path={`/households/${encodeURIComponent(householdId)}`} previous={previous} next={next} />
      <p>
        <a href="/households">All households</a>
      </p>
    </Layout>
  )
}

function AccountTable({ items }: { items: Account[] }) {
  return (
    <div class="overflow-auto">
      <table class="striped">
        <thead>
          <tr>
            {['Name', 'Type', 'Number', 'Custodian', 'Currency', 'Opened on', 'Status', 'Id'].map(
              (heading) => (
                <th key={heading} scope="col">
                  {heading}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {items.map((account) => (
            <AccountRow key={account.id} {...account} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function AccountRow(account: Account) {
  const { name, type, number_masked, custodian, currency, opened_on, status, id } = account
  return (
    <tr>
      {[name, type, number_masked, custodian, currency, opened_on, status, id].map((text, column) => (
        <td key={column}>
          <bdi>{text ?? '–'}</bdi>
        </td>
      ))}
    </tr>
  )
}
