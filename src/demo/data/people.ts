export type DemoLogin = {
  email: string
  password: string
  name: string
  /** Describes what the user sees, for the person who chooses a login. */
  sees: string
}

/** Whether a user has access to accounts of a household. `household` is its number in the firm, from 0. */
type Access = (household: number) => boolean

export type DemoUser = DemoLogin & {
  id: string
  firm: string
  role: string
  status: 'active' | 'disabled'
  access: Access
}

export const firms = [
  { id: 'northbridge', name: 'Northbridge Wealth' },
  { id: 'kessler', name: 'Keßler & Söhne Vermögensverwaltung' },
  { id: 'aurora', name: 'Aurora Family Office, Ltd.' }, // no user sees the whole firm
]

export const roles = [
  { name: 'principal', sees: 'firm' },
  { name: 'advisor', sees: 'granted' },
  { name: 'assistant', sees: 'granted' },
]

const none: Access = () => false

/** Every third household, from the first or the second. Few users see the remaining third. */
const everyThird =
  (third: 0 | 1): Access =>
  (household) =>
    household % 3 === third

/** The passwords are public, because this is a demo. */
export const people: DemoUser[] = [
  user(
    'ada',
    'northbridge',
    'principal',
    'Ada Whitlock',
    none,
    'every household of Northbridge: three pages',
  ),
  user('ben', 'northbridge', 'advisor', 'Ben Okafor', everyThird(0), 'a third of Northbridge'),
  user('chloe', 'northbridge', 'advisor', 'Chloé Béranger', everyThird(1), 'another third of Northbridge'),
  user(
    'dan',
    'northbridge',
    'assistant',
    'Dan Ó Briain',
    (n) => n < 5,
    'at most five households of Northbridge',
  ),
  user(
    'eve',
    'northbridge',
    'advisor',
    'Eve Lindqvist',
    everyThird(0),
    'nothing: this user is disabled',
    'disabled',
  ),
  user('greta', 'kessler', 'principal', 'Greta Keßler', none, 'every household of Keßler & Söhne'),
  user('jurgen', 'kessler', 'advisor', 'Jürgen Weiß', everyThird(0), 'a third of Keßler & Söhne'),
  user('selin', 'kessler', 'assistant', 'Selin Işık', everyThird(1), 'another third of Keßler & Söhne'),
  user('omar', 'kessler', 'advisor', 'عمر الخوري', (n) => n % 10 === 4, 'a tenth of Keßler & Söhne'),
  user('mei', 'aurora', 'advisor', '陈美', everyThird(0), 'a third of Aurora, where no user sees everything'),
  user('niko', 'aurora', 'assistant', 'Νίκος Ιωάννου', (n) => n === 2, 'one household of Aurora'),
  user('zoe', 'aurora', 'advisor', 'Zoë Ferreira', none, 'nothing: no access to any account'),
]

function user(
  id: string,
  firm: string,
  role: string,
  name: string,
  access: Access,
  sees: string,
  status: DemoUser['status'] = 'active',
): DemoUser {
  const domain = firm === 'aurora' ? 'example.org' : 'example.com'
  return {
    id,
    firm,
    role,
    name,
    access,
    sees,
    status,
    email: `${id}@${domain}`,
    password: `demo-password-${id}`,
  }
}
