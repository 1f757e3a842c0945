import { readdirSync } from 'node:fs'
import { test } from 'vitest'
import { expectGoodLook } from '../support/docs-looks.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'

const server = await serverFixture()
const browser = await browserFixture()
const docs = `${server.baseUrl}docs`

const guides = readdirSync('docs/partners').map((file) => file.replace(/\.md$/, ''))
const pages = [
  '',
  ...guides,
  'reference',
  'errors',
  'errors/invalid_grant',
  'search?q=refresh',
  'no-such-page',
]
const addresses = Object.fromEntries(pages.map((path) => [path.replace(/\W/g, ' '), `${docs}/${path}`]))

test.each(['390, light', '390, dark', '1280, light', '1280, dark', '1440, light', '1440, dark'] as const)(
  'every page of the docs at %s: axe finds nothing wrong, nothing scrolls sideways',
  (look) => expectGoodLook(browser, look, { ...addresses, front: server.authUrl }),
)
