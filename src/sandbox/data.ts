import type { Environment } from '../environment.ts'

/** The firm of the sandbox users. */
export const sandboxFirm = 'sandbox'

/** The firm of the user who sees very many households. */
const largeFirm = 'sandbox-large'

const firmRole = 'sandbox-firm'
const grantedRole = 'sandbox-granted'

/** What imports of a sandbox leave alone. */
export const reservedRows = {
  firms: [sandboxFirm, largeFirm],
  roles: [firmRole, grantedRole],
  owner: '`latchkey sandbox load`',
}

/** The rows that changes of the directory leave alone. */
export function reservedIn({ environment }: { environment: Environment }): typeof reservedRows | undefined {
  return environment === 'sandbox' ? reservedRows : undefined
}

/** Public, because these users see only made-up data. */
export const sandboxPassword = 'sandbox-password'

/** argon2id of `sandboxPassword`: hashing it at each start of the demo would take longer than the rest of the load. */
export const sandboxPasswordHash =
  '$argon2id$v=19$m=19456,t=2,p=1$NElpPjuhRavR/K41KFOp5w$M+6J03AXNDl2oUPIUHbSiIbUR3GDrTqPGKNq9cYuR+0'

/** The user for whom *Connect* answers like *Cancel*. */
export const consentCancelledUser = 'sandbox-consent-cancelled'

type User = {
  id: string
  firm: string
  email: string
  name: string
  role: string
  /** Describes what happens, for partners. */
  what: string
  disabled?: true
}

const householdsOfFirm = 12
const householdsOfGranted = 5

export const sandboxUsers: User[] = [
  user('firm', 'Frida Firm', `sees all ${householdsOfFirm} households of the firm`, firmRole),
  user('granted', 'Gil Granted', `sees ${householdsOfGranted} of them, and some of their accounts`),
  user('nothing-visible', 'Nora Nothing', 'connects, and sees no household'),
  {
    ...user('many-households', 'Maya Many', 'sees 100,000 households, each with an account', firmRole),
    firm: largeFirm,
  },
  // Refused like every disabled user, and like a wrong password: the page does not say why.
  { ...user('login-refused', 'Leo Login', 'cannot log in, although the password is right'), disabled: true },
  user('consent-cancelled', 'Cleo Cancel', 'logs in; *Connect* sends `error=access_denied`, like *Cancel*'),
]

function user(id: string, name: string, what: string, role = grantedRole): User {
  return { id: `sandbox-${id}`, firm: sandboxFirm, email: `${id}@sandbox.example`, name, what, role }
}

/**
 * The files of an import, by their names. The same for the same number. Without `manyHouseholds`, the firm and the user with
 * many households are left out.
 */
export function sandboxFiles(manyHouseholds: number): Record<string, string> {
  const firms = manyHouseholds > 0 ? reservedRows.firms : [sandboxFirm]
  const few = Array.from({ length: householdsOfFirm }, (_, index) => index + 1)
  const many = Array.from({ length: manyHouseholds }, (_, index) => largeId(index + 1))
  const accounts = few.flatMap((number) =>
    Array.from({ length: 1 + (number % 3) }, (_, index) => ({
      household: smallId(number),
      which: index + 1,
    })),
  )
  const granted = accounts.filter(
    ({ household, which }) => household <= smallId(householdsOfGranted) && which < 3,
  )
  return {
    'firms.csv': csv(
      'id,name',
      firms.map((id) => `${id},${id === largeFirm ? 'Sandbox Large' : 'Sandbox'}`),
    ),
    'roles.csv': csv('name,sees', [`${firmRole},firm`, `${grantedRole},granted`]),
    'users.csv': csv(
      'id,firm_id,email,name,role,status,password',
      sandboxUsers
        .filter(({ firm }) => firms.includes(firm))
        .map(({ id, firm, email, name, role, disabled }) =>
          [id, firm, email, name, role, disabled ? 'disabled' : 'active', `"${sandboxPasswordHash}"`].join(
            ',',
          ),
        ),
    ),
    'households.csv': csv('id,firm_id,name', [
      ...few.map((number) => `${smallId(number)},${sandboxFirm},Sandbox Family ${number}`),
      ...many.map((id, index) => `${id},${largeFirm},Large Family ${index + 1}`),
    ]),
    'accounts.csv': csv('id,household_id,name,type,number_masked,custodian,currency,status,opened_on', [
      ...accounts.map(({ household, which }) => account(household, which)),
      ...many.map((household) => account(household, 1)),
    ]),
    'account_access.csv': csv(
      'user_id,account_id',
      granted.map(({ household, which }) => `sandbox-granted,${accountId(household, which)}`),
    ),
  }
}

const smallId = (number: number) => `sandbox-hh-${String(number).padStart(2, '0')}`
const largeId = (number: number) => `sandbox-large-hh-${String(number).padStart(6, '0')}`
const accountId = (household: string, which: number) => `${household}-ac-${which}`

const kinds = ['Current account,checking', 'Portfolio,brokerage', 'Savings,savings']

function account(household: string, which: number): string {
  const number = `•••• ${String(which).padStart(4, '0')}`
  return `${accountId(household, which)},${household},${kinds[which - 1]},${number},Example Bank,EUR,active,2020-01-31`
}

function csv(header: string, rows: string[]): string {
  return [header, ...rows, ''].join('\n')
}
