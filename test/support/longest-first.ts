import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, the longest first: more than five seconds on one processor. If one of them started last, its
 * worker would still run it when the others have nothing left to do. The order of all other files does not matter.
 */
const longest = [
  'browser/connected-apps',
  'browser/accessibility',
  'crash/embedded',
  'browser/newcomer',
  'crash/kill-server',
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
