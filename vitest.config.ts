import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

/** `npm run test:long` runs what is in here, and nothing else does. */
const long = 'test/long/**'

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    exclude: [...configDefaults.exclude, ...(process.env.LATCHKEY_TEST_LONG ? [] : [long])],
    globalSetup: 'test/support/global-setup.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: availableParallelism(),
    // Each file has a database of its own, and importing ours has no effect: loading it anew for each would only take time.
    isolate: false,
  },
})
