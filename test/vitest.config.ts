import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './support/longest-first.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The test files of these folders, to be run together: `--project NAME`. */
const suite = (name: string, ...include: string[]) => ({
  extends: true as const,
  root, // Also for knip, which resolves the setup of a project from its root.
  // Not among the common settings: Vitest would run it once for them and once for the project.
  test: { name, include, globalSetup: 'test/support/global-setup.ts' },
})

const inFolders = (...folders: string[]) => folders.map((folder) => `test/${folder}/**/*.test.{ts,tsx}`)

export default defineConfig({
  root,
  test: {
    projects: [
      suite('main', ...inFolders('flows', 'attacks', 'browser', 'crash')),
      suite('embedded', ...inFolders('embedded')),
      suite('clients', 'test/interop/*.test.ts'),
      suite('interop', ...inFolders('interop')),
      suite('long', ...inFolders('long')),
    ],
    setupFiles: 'test/support/setup.ts',
    // For tests that hang. A busy machine may be slow, and no test is about how fast it is.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    // More than there are processors: many tests wait for processes to start, and some for time to pass.
    maxWorkers: availableParallelism() + 2,
    // The default of 16 MB fills up many times a second, and each time V8 copies what is still in use.
    execArgv: ['--max-semi-space-size=64'],
    // Each file has a database of its own, and importing ours has no effect: loading it anew for each would only take time.
    isolate: false,
  },
})
