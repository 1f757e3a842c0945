import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, whether they compute or wait: more than eight seconds. If one of them started last, its worker
 * would still run it when the others have nothing left to do. The order of all other files does not matter.
 */
const longest = [
  'flows/schema',
  'crash/kill-server',
  'crash/log-faults',
  'browser/accessibility',
  'flows/operations',
  'attacks/http',
  'browser/newcomer',
  'attacks/wrong-database',
  'flows/purge-rounds',
  'browser/connected-apps',
  'browser/console',
  'attacks/disconnect-under-load',
  'crash/webhook-kills',
  'crash/mail-kill',
  'browser/demo-with-database-url',
  'flows/restore-takes-over',
  'flows/backup-restore',
  'attacks/webhook-receivers',
  'flows/secret-rotation',
  'flows/admin-parity',
  'flows/readme',
  'attacks/login-flood',
]

/** Vitest's own order depends on how long each file took in the last run, which a fresh checkout does not know. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}

function rank({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return place === -1 ? longest.length : place
}
