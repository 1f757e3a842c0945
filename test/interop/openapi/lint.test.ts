import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { serverFixture } from '../../support/fixtures.ts'
import { run } from './tools.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

// With public addresses: Redocly warns about localhost, which only a local sandbox has.
const authUrl = 'https://auth.platform.test'
const server = await serverFixture({ authUrl, baseUrl: 'https://api.platform.test/service-open-api/' })
const directory = mkdtempSync(join(tmpdir(), 'latchkey-lint-'))
afterAll(() => rmSync(directory, { recursive: true }))
const port = server.context.config.port
const documents = [
  { name: 'openapi', address: `http://127.0.0.1:${port}/service-open-api/openapi.json` },
  { name: 'admin-openapi', address: `http://127.0.0.1:${port}/admin/v1/openapi.json` },
  { name: 'developer-openapi', address: `http://127.0.0.1:${port}/developers/v1/openapi.json` },
]
const served = (name: string) => join(directory, `${name}.json`)
for (const { name, address } of documents) writeFileSync(served(name), await (await fetch(address)).text())

describe.each(documents)('$name', ({ name }) => {
  test('Redocly: no error and no warning', async () => {
    const redocly = here('node_modules/@redocly/cli/bin/cli.js')
    const options = ['lint', served(name), '--extends', 'recommended', '--format', 'json']
    const report = await run(process.execPath, [redocly, ...options], { cwd: directory })
    expect(JSON.parse(report.slice(report.indexOf('{')))).toMatchObject({
      totals: { errors: 0, warnings: 0, ignored: 0 },
    })
  })

  test('Redocly with redocly.yaml: no error and no warning in docs/', async () => {
    const redocly = here('node_modules/@redocly/cli/bin/cli.js')
    const options = ['lint', `docs/${name}.json`, '--format', 'json']
    const report = await run(process.execPath, [redocly, ...options], { cwd: here('../../..') })
    expect(JSON.parse(report.slice(report.indexOf('{')))).toMatchObject({
      totals: { errors: 0, warnings: 0 },
    })
  })

  test('Spectral: no error, no warning and no hint', async () => {
    const spectral = here('node_modules/@stoplight/spectral-cli/dist/index.js')
    const options = ['lint', served(name), '--ruleset', here('.spectral.yaml'), '--format', 'json', '--quiet']
    const report = await run(process.execPath, [spectral, ...options])
    expect(JSON.parse(report)).toEqual([])
  })
})
