import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)

const note = `// The types of docs/openapi.json. Do not edit. After a change of the API:
// npm run test:clients -- test/interop/sdk-types.test.ts --update
`

test('the types of the client library are those of the description', async () => {
  const description = readFileSync(new URL('docs/openapi.json', root), 'utf8')
  const types = astToString(await openapiTypescript(description))
  await expect(note + types).toMatchFileSnapshot(fileURLToPath(new URL('sdk/src/api.generated.ts', root)))
})
