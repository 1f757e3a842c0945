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
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Number</th>
            <th scope="col">Custodian</th>
            <th scope="col">Currency</th>
            <th scope="col">Opened on</th>
            <th scope="col">Status</th>
          </tr>
        </thead>
        <tbody>
          {items.map((account) => (
            <AccountRow key={account.id} account={account} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function AccountRow({ account }: { account: Account }) {
  return (
    <tr>
      <td>
        <bdi>{account.name?.trim() || 'Unnamed account'}</bdi>
        <br />
        <small>{account.id}</small>
      </td>
      <Cell text={account.type} />
      <Cell text={account.number_masked} />
      <Cell text={account.custodian} />
      <Cell text={account.currency} />
      <Cell text={account.opened_on} />
      <Cell text={account.status} />
    </tr>
  )
}

function Cell({ text }: { text: string | undefined }) {
  return (
    <td>
      <bdi>{text ?? '–'}</bdi>
    </td>
  )
}
