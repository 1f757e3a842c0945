// What changes something, and is not compared door by door. Each has its reason.

const reads = 'It changes nothing.'
const onMachine = 'It works on the files, the environment or the database of the machine.'
const twoDeployments = 'It needs two deployments: test/flows/going-live.test.ts compares its doors.'
const provider = 'Who changes an identity provider could log in as any user: it needs access to the machine.'

export const commandsAlone: Record<string, string> = {
  ...Object.fromEntries(
    [
      ...[
        'partner list',
        'partner show',
        'partner use',
        'partner deprecated-calls',
        'user list',
        'user show',
        'user sessions',
        'firm list',
        'role list',
      ],
      ...[
        'grant list',
        'access explain',
        'reads list',
        'reads households',
        'request list',
        'request explain',
      ],
      ...['operator list', 'key list', 'api-key list', 'audit list', 'audit verify', 'doctor'],
      ...['idp list', 'idp show', 'idp test'],
    ].map((name) => [name, reads]),
  ),
  ...Object.fromEntries(
    ['demo', 'start', 'migrate', 'backup', 'restore', 'secret rotate', 'sandbox load'].map((name) => [
      name,
      onMachine,
    ]),
  ),
  ...Object.fromEntries(
    ['add', 'update', 'set-credential', 'remove', 'link', 'unlink'].map((name) => [`idp ${name}`, provider]),
  ),
  ...Object.fromEntries(['key', 'check', 'show'].map((name) => [`going-live ${name}`, reads])),
  ...Object.fromEntries(['export', 'open'].map((name) => [`going-live ${name}`, twoDeployments])),
  'developer-key list': reads,
  'developer list': reads,
  'developer reset': 'The account may belong to several partners: it needs access to the machine.',
  ...Object.fromEntries(
    ['create', 'revoke'].map((name) => [
      `developer-key ${name}`,
      'Keys of a partner, which its developers make. The command is for the first one.',
    ]),
  ),
  ...Object.fromEntries(['list', 'show', 'messages'].map((name) => [`webhook ${name}`, reads])),
  'user set-password':
    'In a request or a form, others would learn the password. They send the user a link instead.',
  import: 'Files of the machine. The API takes changes of the directory: they leave their own event.',
}

const directory = 'A change of the directory leaves its own event: test/flows/directory-api.test.ts.'

export const operationsAlone: Record<string, string> = {
  testProvider: reads,
  previewGoingLiveRequest: reads,
  openGoingLiveRequest: twoDeployments,
  changeDirectory: directory,
  ...Object.fromEntries(
    ['Firm', 'Role', 'User', 'Household', 'Account', 'Access'].flatMap((type) => [
      [`putDirectory${type}`, directory],
      [`deleteDirectory${type}`, directory],
    ]),
  ),
}

/** By the address of the route. Forms about the operator's own account are left out before. */
export const formsAlone: Record<string, string> = {
  '/admin/going-live': reads,
  '/admin/going-live/open': twoDeployments,
}
