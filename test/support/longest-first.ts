import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, whether they compute or wait: more than six seconds. If one of them started last, its worker
 * would still run it when the others have nothing left to do. The order of all other files does not matter.
 */
const longest = [
  'browser/connected-apps',
  'browser/accessibility',
  'browser/console',
  'crash/embedded',
  'crash/kill-server',
  'browser/newcomer',
  'attacks/http',
  'flows/readme',
  'crash/embedded-secret',
  'crash/embedded-shutdown',
  'flows/schema',
  'crash/log-faults',
  'browser/docs',
  'flows/purge-rounds',
  'browser/demo-with-database-url',
  'attacks/wrong-database',
  'flows/secret-rotation',
  'crash/embedded-healing',
  'flows/operations',
  'attacks/database-away',
  'flows/v2-sync-model',
  'flows/counted-pages',
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
