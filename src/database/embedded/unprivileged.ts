import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * PostgreSQL refuses to run as root. `command` says how to start one of its programs, and `owner` whom its files
 * must belong to (absent: whoever runs this process).
 */
export type Unprivileged = {
  command(program: string, args: string[]): [program: string, args: string[]]
  owner?: { uid: number; gid: number }
}

const asOneself: Unprivileged = { command: (program, args) => [program, args] }

/**
 * Root's own files seen from inside a user namespace as `nobody`'s. Nothing outside needs to be opened up for it,
 * which makes it the way on where another user could not even reach the directory (a clone below /root, say).
 */
const inNamespace: Unprivileged = {
  command: (program, args) => [
    'unshare',
    ['--user', `--map-user=${nobody().uid}`, `--map-group=${nobody().gid}`, program, ...args],
  ],
}

/**
 * How PostgreSQL's programs are to be run by the current user on `clusterDir` with the programs in `binDir`.
 * A cluster that exists goes on as whom it belongs to.
 */
export function unprivileged(clusterDir: string, binDir: string): Unprivileged {
  if (process.getuid?.() !== 0) return asOneself
  const existing = statSync(clusterDir, { throwIfNoEntry: false })
  if (existing) return existing.uid === 0 ? inNamespace : asUser({ uid: existing.uid, gid: existing.gid })
  const reachable = [dirname(clusterDir), binDir].every(reachableByOthers)
  return reachable ? asUser(nobody()) : inNamespace
}

function asUser(owner: { uid: number; gid: number }): Unprivileged {
  return { command: (program, args) => [program, args], owner }
}

function reachableByOthers(path: string): boolean {
  const parent = dirname(path)
  const open = (statSync(path).mode & 0o001) !== 0
  return open && (parent === path || reachableByOthers(resolve(parent)))
}

/** The `postgres` user where the machine has one, otherwise `nobody`; initdb insists on a user with a name. */
function nobody(): { uid: number; gid: number } {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of ['postgres', 'nobody']) {
    const found = users.find((fields) => fields[0] === name)
    if (found) return { uid: Number(found[2]), gid: Number(found[3]) }
  }
  throw new Error(
    'PostgreSQL does not run as root, and this machine has no user "postgres" or "nobody" to run it as. ' +
      'Run Latchkey as an ordinary user, or set DATABASE_URL.',
  )
}
