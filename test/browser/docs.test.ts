import { gzipSync } from 'node:zlib'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { expectGoodLook } from '../support/docs-looks.ts'
import { browserFixture, serverFixture } from '../support/fixtures.ts'

const server = await serverFixture()
const browser = await browserFixture()
const docs = `${server.baseUrl}docs`
const faults: string[] = []

async function openPage(address: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage()
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  await page.goto(address)
  return page
}

// test/long/docs-looks.test.ts has all pages in all looks.
test.each([
  [
    '390, dark',
    { 'quick start': `${docs}/quick-start`, error: `${docs}/errors/invalid_scope`, front: server.authUrl },
  ],
  ['1440, light', { index: docs, 'quick start': `${docs}/quick-start`, search: `${docs}/search?q=cursor` }],
] as const)(
  '%s: axe finds nothing wrong, text has a contrast of 7:1, nothing scrolls sideways',
  (look, addresses) => expectGoodLook(browser, look, addresses),
)

test('a page loads only from its own origin, and at most 100 kB with all its assets', async () => {
  for (const path of ['', '/quick-start', '/reference']) {
    const page = await browser.newPage()
    const loaded: { url: string; size: Promise<number> }[] = []
    page.on('response', (response) => {
      loaded.push({ url: response.url(), size: response.body().then((body) => gzipSync(body).length) })
    })
    await page.goto(docs + path, { waitUntil: 'networkidle' })
    const origins = new Set(loaded.map(({ url }) => new URL(url).origin))
    expect([...origins]).toEqual([new URL(docs).origin])
    expect(loaded.length, 'page, style sheet and script').toBe(3)
    const sizes = await Promise.all(loaded.map(({ size }) => size))
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(100_000)
    await page.close()
  }
})

describe('the switch between languages', () => {
  const shown = (page: Page) => page.locator('.languages').first().locator('figure:visible').count()
  const pressed = (page: Page) => page.locator('.switch [aria-pressed=true]').allTextContents()

  test('shows one language in all examples, and the next page remembers it', async () => {
    const page = await openPage(`${docs}/reference`)
    expect(await shown(page)).toBe(1)
    expect(new Set(await pressed(page))).toEqual(new Set(['curl']))
    await page.getByRole('button', { name: 'Python' }).first().click()
    expect(new Set(await pressed(page))).toEqual(new Set(['Python']))
    expect(await page.locator('figure[data-tab=python]:visible').count()).toBe(
      await page.locator('figure[data-tab=python]').count(),
    )
    expect(await page.locator('figure[data-tab=sh]:visible, figure[data-tab=ts]:visible').count()).toBe(0)
    await page.reload()
    expect(new Set(await pressed(page))).toEqual(new Set(['Python']))
    await page.context().close()
  })

  test('without script, all languages are shown, and the search works', async () => {
    const page = await openPage(`${docs}/reference`, { javaScriptEnabled: false })
    expect(await shown(page)).toBe(3)
    expect(await page.locator('.switch:visible, .copy').count()).toBe(0)
    await page.getByRole('searchbox').fill('invalid_grant')
    await page.getByRole('searchbox').press('Enter')
    await page.getByRole('link', { name: 'invalid_grant' }).first().click()
    expect(page.url()).toBe(`${docs}/errors/invalid_grant`)
    await page.context().close()
  })
})

test('a slash opens the search, except in a field; the Copy button copies the example', async () => {
  const page = await openPage(`${docs}/quick-start`, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.keyboard.press('/')
  await page.keyboard.type('a/b')
  expect(await page.getByRole('searchbox').inputValue()).toBe('a/b')
  const example = page.locator('figure', { hasText: 'code_challenge' }).first()
  await example.getByRole('button', { name: 'Copy' }).click()
  await example.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    await example.locator('code').textContent(),
  )
  await page.context().close()
})

test('on a phone, the contents are folded, and lead to a section of the page', async () => {
  const page = await openPage(`${docs}/quick-start`, { viewport: { width: 390, height: 844 } })
  const link = page.getByRole('link', { name: 'Read households' })
  expect(await link.count()).toBe(1) // the heading itself
  await page.getByText('Contents').click()
  await link.first().click()
  expect(new URL(page.url()).hash).toBe('#4-read-households')
  await page.context().close()
})

afterAll(() => expect(faults).toEqual([]))
