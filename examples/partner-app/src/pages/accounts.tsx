import type { Account, Page } from '@latchkey/client'
import type { ComponentChildren } from 'preact'
import { Layout } from './layout.tsx'
import { Pager } from './pager.tsx'

interface AccountsProps extends Page<Account> {
  householdId: string
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

const columns = ['Account', 'Type', 'Number', 'Custodian', 'Currency', 'Opened on', 'Status'] as const

function AccountTable({ items }: { items: Account[] }) {
  return (
    <table class="cards">
      <thead>
        <tr>
          {columns.map((column) => (
            <th scope="col" key={column}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((account) => (
          <AccountRow key={account.id} account={account} />
        ))}
      </tbody>
    </table>
  )
}

function AccountRow({ account }: { account: Account }) {
  return (
    <tr>
      <Cell column="Account">
        {account.name?.trim() || 'Unnamed account'}
        <br />
        <small>{account.id}</small>
      </Cell>
      <Cell column="Type">{account.type}</Cell>
      <Cell column="Number">{account.number_masked}</Cell>
      <Cell column="Custodian">{account.custodian}</Cell>
      <Cell column="Currency">{account.currency}</Cell>
      <Cell column="Opened on">{account.opened_on}</Cell>
      <Cell column="Status">{account.status}</Cell>
    </tr>
  )
}

/** On narrow screens the style sheet shows `data-label`, the name of the column, before the value. */
function Cell({ column, children }: { column: (typeof columns)[number]; children: ComponentChildren }) {
  return (
    <td data-label={column}>
      <bdi>{children ?? '–'}</bdi>
    </td>
  )
}
