import {
  type Check,
  checkAccountStatus,
  checkCurrency,
  checkDate,
  checkEmail,
  checkHouseholdName,
  checkId,
  checkMaskedNumber,
  checkName,
  checkPassword,
  checkPasswordHash,
  checkRole,
  checkSees,
  checkUserStatus,
} from '../directory/values.ts'

/** The table of a foreign key. `alsoEqual`: a further column of the foreign key, without which no index serves it. */
type Referenced = { table: string; key: string; noun: string; alsoEqual?: string }

export type Column = {
  name: string
  /** The type of the table's column, if it is not `text`. */
  type?: 'date'
  check: Check
  /** If true, a file without this column or a row with an empty value is refused. If false, both mean NULL. */
  required: boolean
  /** The column of the table that stores the value with its case folded. */
  folded?: string
  /** The value must be the key of a row of this table, in the same import or in the database. */
  references?: Referenced
  /** Neither is ever shown, and a plain password is never stored. */
  password?: 'plain' | 'hash'
}

/** One CSV file and the table of the same name. */
export type ImportFile = {
  file: string
  table: string
  /** What messages call a row. */
  noun: string
  key: string[]
  columns: Column[]
  /**
   * SQL for columns that are not in the file: joins that find household and firm, and the columns' `values`. If the primary key
   * contains the household: the rest of the condition for the same row, and the order of the key.
   */
  household?: { join: string; values: Record<string, string>; same?: string; order?: string }
  /** The column in which an added row stores the instant of the import. */
  instant?: string
}

const firm = { table: 'firms', key: 'id', noun: 'firm' }
const role = { table: 'roles', key: 'name', noun: 'role' }
const user = { table: 'users', key: 'id', noun: 'user' }
const household = { table: 'households', key: 'id', noun: 'household' }
const account = { table: 'accounts', key: 'id', noun: 'account', alsoEqual: 'household_id' }

/** In the order of the merge: a referenced table comes before the tables that refer to it. */
export const importFiles: ImportFile[] = [
  {
    file: 'firms.csv',
    table: 'firms',
    noun: 'firm',
    key: ['id'],
    columns: [required('id', checkId), required('name', checkName)],
    instant: 'changed_at',
  },
  {
    file: 'roles.csv',
    table: 'roles',
    noun: 'role',
    key: ['name'],
    columns: [required('name', checkRole), required('sees', checkSees)],
  },
  {
    file: 'users.csv',
    table: 'users',
    noun: 'user',
    key: ['id'],
    columns: [
      required('id', checkId),
      { ...required('firm_id', checkId), references: firm },
      { ...required('email', checkEmail), folded: 'email_folded' },
      required('name', checkName),
      { ...required('role', checkRole), references: role },
      required('status', checkUserStatus),
      { ...optional('password', checkPassword), password: 'plain' },
      { ...optional('password_hash', checkPasswordHash), password: 'hash' },
    ],
    instant: 'sees_since',
  },
  {
    file: 'households.csv',
    table: 'households',
    noun: 'household',
    key: ['id'],
    columns: [
      required('id', checkId),
      { ...required('firm_id', checkId), references: firm },
      { ...optional('name', checkHouseholdName), folded: 'name_folded' },
    ],
  },
  {
    file: 'accounts.csv',
    table: 'accounts',
    noun: 'account',
    key: ['id'],
    columns: [
      required('id', checkId),
      { ...required('household_id', checkId), references: household },
      optional('name', checkName),
      optional('type', checkName),
      optional('number_masked', checkMaskedNumber),
      optional('custodian', checkName),
      optional('currency', checkCurrency),
      required('status', checkAccountStatus),
      { ...optional('opened_on', checkDate), type: 'date' },
    ],
    household: { join: 'JOIN households h ON h.id = s.household_id', values: { firm_id: 'h.firm_id' } },
  },
  {
    file: 'account_access.csv',
    table: 'account_access',
    noun: 'access row',
    key: ['user_id', 'account_id'],
    columns: [
      { ...required('user_id', checkId), references: user },
      { ...required('account_id', checkId), references: account },
    ],
    household: {
      join: 'JOIN accounts a ON a.id = s.account_id JOIN households h ON h.id = a.household_id',
      values: { household_id: 'a.household_id', firm_id: 'h.firm_id' },
      same: 'AND t.household_id = a.household_id',
      order: 's.user_id, a.household_id, s.account_id',
    },
  },
]

/** The table's columns that this file fills, in the order in which `stageFile` writes them. */
export function tableColumns(file: ImportFile): string[] {
  return file.columns.flatMap(({ name, folded, password }) => {
    if (password === 'plain') return [] // hashed later: hashPasswords
    if (password === 'hash') return ['password_hash', 'imported_hash_digest']
    return folded ? [name, folded] : name
  })
}

function required(name: string, check: Check): Column {
  return { name, check, required: true }
}

function optional(name: string, check: Check): Column {
  return { name, check, required: false }
}
