import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * The user that runs PostgreSQL, because PostgreSQL refuses to run as root. `command` returns the command line for one of
 * its programs. `owner` must own its files. Without `owner`, the user of this process owns them.
 */
export type RunAs = {
  command(program: string, args: string[]): [program: string, args: string[]]
  owner?: { uid: number; gid: number }
}

const asCurrentUser: RunAs = { command: (program, args) => [program, args] }

/**
 * Runs a program in a user namespace, in which root's files appear to belong to an unprivileged user. This works without
 * changed permissions, even if no other user can reach the directory (for example, a clone below /root).
 */
const inNamespace: RunAs = {
  command: (program, args) => {
    const { uid, gid } = unprivilegedUser()
    return ['unshare', ['--user', `--map-user=${uid}`, `--map-group=${gid}`, program, ...args]]
  },
}

/** Chooses the user that runs the programs in `binDir` on `clusterDir`. The owner of an existing cluster runs it. */
export function chooseRunAs(clusterDir: string, binDir: string): RunAs {
  if (process.getuid?.() !== 0) return asCurrentUser
  const existing = statSync(clusterDir, { throwIfNoEntry: false })
  if (existing) return existing.uid === 0 ? inNamespace : asUser({ uid: existing.uid, gid: existing.gid })
  const reachable = [dirname(clusterDir), binDir].every(reachableByOthers)
  return reachable ? asUser(unprivilegedUser()) : inNamespace
}

function asUser(owner: { uid: number; gid: number }): RunAs {
  return { command: (program, args) => [program, args], owner }
}

function reachableByOthers(path: string): boolean {
  const parent = dirname(path)
  const open = (statSync(path).mode & 0o001) !== 0
  return open && (parent === path || reachableByOthers(resolve(parent)))
}

/** The user `postgres` if it exists, otherwise `nobody`. Not just any uid, because initdb needs a user with a name. */
function unprivilegedUser(): { uid: number; gid: number } {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of ['postgres', 'nobody']) {
    const found = users.find((fields) => fields[0] === name)
    if (found) return { uid: Number(found[2]), gid: Number(found[3]) }
  }
  throw new Error(
    'PostgreSQL does not run as root, and this machine has neither the user `postgres` nor the user `nobody`. ' +
      'Run Latchkey as an ordinary user, or set DATABASE_URL.',
  )
}
