import { afterAll, afterEach } from 'vitest'
import { expectDescribedResponses } from './described-responses.ts'

// Runs in each test file. `afterAll` is for responses before the first test and after the last one.
afterEach(expectDescribedResponses)
afterAll(expectDescribedResponses)
