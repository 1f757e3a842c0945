import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { inject } from 'vitest'
import type { TestServer } from './server.ts'
import type { Visitor } from './visitor.ts'

const output = fileURLToPath(new URL('../output', import.meta.url))

// Not the package's own list: that one turns web security off, and these tests test web security.
const args = [
  '--no-sandbox',
  '--headless=shell',
  '--disable-gpu',
  '--no-zygote',
  '--disable-background-networking',
]

/** One for all test files of a worker, because a start takes a second of CPU time. Playwright ends it with the worker. */
let launched: Promise<Browser> | undefined

/** The browser of this worker. Call `closePages` when the file has ended. */
export function openBrowser(): Promise<Browser> {
  launched ??= launch()
  return launched
}

/** Closes all that a test file has opened in the browser. The next file finds no cookies and no cache. */
export async function closePages(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()))
}

/** The system's Chromium, or the one from the npm package. Playwright is loaded here, because most files open no browser. */
async function launch(): Promise<Browser> {
  const system = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path))
  const { chromium } = await import('playwright-core')
  return chromium.launch({ executablePath: system ?? (await unpacked()), args })
}

/** Unpacked once in a run, which takes seconds: by the worker that creates the directory. The others wait for the program. */
async function unpacked(): Promise<string> {
  const directory = join(inject('scratch'), 'chromium')
  const program = join(directory, 'unpacked', 'chromium')
  const isFirst = mkdirSync(directory, { recursive: true }) !== undefined
  if (isFirst) {
    // A program cannot run while it is still being written.
    const draft = join(directory, 'draft')
    mkdirSync(draft)
    await unpackInto(draft)
    renameSync(draft, join(directory, 'unpacked'))
  }
  while (!existsSync(program)) await sleep(50)
  return program
}

async function unpackInto(directory: string): Promise<void> {
  const before = process.env.TMPDIR
  process.env.TMPDIR = directory
  try {
    await (await import('@sparticuz/chromium')).default.executablePath()
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}

/** A context of a browser with the cookies of a visitor: it is signed in where the visitor is. */
export async function signedInContext(
  { authUrl }: TestServer,
  browser: Browser,
  visitor: Visitor,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ ...options, locale: 'en' })
  const cookies = await visitor.jar.getCookies(authUrl)
  await context.addCookies(
    cookies.map(({ key, value, httpOnly, secure }) => ({ name: key, value, httpOnly, secure, url: authUrl })),
  )
  return context
}

/**
 * With `SCREENSHOTS=1`, saves a screenshot of the page, for people who want to see what a user sees: test/output/<name>.png.
 * Not in every run, because a screenshot costs as much as the rest of a short visit.
 */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return
  mkdirSync(output, { recursive: true })
  await page.screenshot({ path: join(output, `${name}.png`), fullPage: true })
}
