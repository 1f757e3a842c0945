import { type Statement, statement } from '../database/database.ts'
import { type ChangeType, changeTypes } from '../import/change-set.ts'
import { nullableText } from '../management/schemas.ts'
import Type, { type TObject } from '../typebox.ts'

const text = (description: string) => Type.String({ description })
const source = nullableText(
  'Who changed the row last: `import` (files), `api` (this API), `operator` (a command or the console) or `login` (a first login through an identity provider). Null: unknown, because it was before the upgrade, or another program wrote it.',
)

const Firm = Type.Object(
  { id: text('Its id.'), name: text('Its name.'), source },
  { $id: 'DirectoryFirm', description: 'A firm: no role sees beyond it.' },
)

const Role = Type.Object(
  {
    name: text('Its name, which is its key.'),
    sees: text('`firm`: every household of the user’s firm. `granted`: those with account access.'),
    source,
  },
  { $id: 'DirectoryRole', description: 'A role: what its users see.' },
)

const User = Type.Object(
  {
    id: text('The id.'),
    firm_id: text('The firm.'),
    email: text('The address for logins and mails.'),
    name: text('The name.'),
    role: text('The name of the role.'),
    status: text('`active` or `disabled`.'),
    disabled_by_operator_at: nullableText(
      'When the operator disabled the user. Imports and changes leave such a user disabled. RFC 3339. Null: the operator did not.',
    ),
    source,
  },
  { $id: 'DirectoryUser', description: 'A user of the platform, without the password.' },
)

const Household = Type.Object(
  { id: text('Its id.'), firm_id: text('The firm.'), name: nullableText('Its name.'), source },
  { $id: 'DirectoryHousehold', description: 'A household.' },
)

const Account = Type.Object(
  {
    id: text('Its id.'),
    household_id: text('The household.'),
    name: nullableText('Its name.'),
    type: nullableText('What kind of account it is.'),
    number_masked: nullableText('The masked number: at most six digits.'),
    custodian: nullableText('Who keeps it.'),
    currency: nullableText('Three letters.'),
    status: text('Partners see only `active` accounts.'),
    opened_on: nullableText('The day on which it was opened, as YYYY-MM-DD.'),
    source,
  },
  { $id: 'DirectoryAccount', description: 'An account of a household, also one that is not active.' },
)

const Access = Type.Object(
  {
    user_id: text('The user.'),
    account_id: text('The account that the user may see.'),
    household_id: text('The household of the account.'),
    source,
  },
  { $id: 'DirectoryAccess', description: 'A user’s right to one account.' },
)

export type DirectoryRow = Record<string, string | null>

/** How the rows of one type are read. */
export type DirectoryRead = {
  /** The columns after which a page begins, in the order of an index. */
  order: string[]
  /** $1 the key; for access: $1 user, $2 account */
  find: Statement<DirectoryRow>
  /** $1 … values of `order` after which the page begins, then the number of rows */
  list: Statement<DirectoryRow>
  /** The statements of a list with a filter, by its column. The value of the filter is the last parameter. */
  filtered: Record<string, Statement<DirectoryRow>>
}

export const rowSchemas = {
  firm: Firm,
  role: Role,
  user: User,
  household: Household,
  account: Account,
  access: Access,
} as const satisfies Record<ChangeType, TObject>

/** Columns that are not text. */
const texts: Record<string, string> = {
  opened_on: 'iso_date(t.opened_on) AS opened_on',
  disabled_by_operator_at: `to_char(t.disabled_by_operator_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS disabled_by_operator_at`,
}

const byId = 't.id = $1'
export const directoryReads: Record<ChangeType, DirectoryRead> = {
  firm: readOf('firm', ['id'], byId),
  role: readOf('role', ['name'], 't.name = $1'),
  user: readOf('user', ['id'], byId, ['firm_id']),
  household: readOf('household', ['id'], byId, ['firm_id']),
  account: readOf('account', ['id'], byId, ['household_id']),
  access: readOf(
    'access',
    ['user_id', 'household_id', 'account_id'],
    't.user_id = $1 AND t.account_id = $2 AND t.household_id = (SELECT household_id FROM accounts WHERE id = $2)',
    ['user_id'],
  ),
}

function readOf(type: ChangeType, order: string[], isRow: string, filters: string[] = []): DirectoryRead {
  const { table } = changeTypes[type]
  const schema = rowSchemas[type]
  const columns = Object.keys(schema.properties).map((name) => texts[name] ?? `t.${name}`)
  const rows = `SELECT ${columns.join(', ')} FROM ${table} t WHERE`
  const keys = order.map((column) => `t.${column}`).join(', ')
  const after = order.map((_, index) => `$${index + 1}`).join(', ')
  const page = `(${keys}) > (${after})`
  const limit = `LIMIT $${order.length + 1}`
  const filter = (column: string) => {
    const sorted = order[0] === column ? keys : `t.${column}, ${keys}`
    const where = `t.${column} = $${order.length + 2} AND ${page}`
    return statement(`list_${table}_by_${column}`, schema, `${rows} ${where} ORDER BY ${sorted} ${limit}`)
  }
  return {
    order,
    find: statement(`find_${type}_row`, schema, `${rows} ${isRow}`),
    list: statement(`list_${table}_rows`, schema, `${rows} ${page} ORDER BY ${keys} ${limit}`),
    filtered: Object.fromEntries(filters.map((column) => [column, filter(column)])),
  }
}
