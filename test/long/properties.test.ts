// The property tests and the races of the short suite, with their full number of tries.
import { tryInFull } from '../support/property-runs.ts'

tryInFull()

await import('../flows/search-plans.test.ts')
await import('../flows/import-to-sync.test.ts')
await import('../flows/v2-sync-model.test.ts')
await import('../flows/import-changes-model.test.ts')
await import('../flows/rotation-model.test.ts')
await import('../flows/purge-model.test.ts')
await import('../flows/events-model.test.ts')
await import('../flows/conditional-tags.test.ts')
await import('../flows/listing-ranges.test.ts')
await import('../flows/counted-pages.test.ts')
await import('../flows/directory-api-model.test.ts')
await import('../flows/visibility.test.ts')
await import('../flows/name-pattern.test.ts')
await import('../flows/paging.test.ts')
await import('../flows/languages.test.ts')
await import('../attacks/audit.test.ts')
await import('../attacks/authorize.test.ts')
await import('../attacks/disconnect-under-load.test.ts')
