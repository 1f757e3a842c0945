import { existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sparticuz from '@sparticuz/chromium'
import { type Browser, chromium, type Page } from 'playwright-core'
import { inject } from 'vitest'

const output = fileURLToPath(new URL('../output', import.meta.url))

// Not the package's own list: that one turns web security off, and these tests test web security.
const args = [
  '--no-sandbox',
  '--headless=shell',
  '--disable-gpu',
  '--no-zygote',
  '--disable-background-networking',
]

/** The system's Chromium, or the one from the npm package. */
export async function launchBrowser(): Promise<Browser> {
  const system = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path))
  if (system) return chromium.launch({ executablePath: system, args })
  unpacked ??= unpack()
  return chromium.launch({ executablePath: await unpacked, args })
}

/** Unpacked once in each worker, because a program cannot run while another worker is still writing it. */
let unpacked: Promise<string> | undefined

function unpack(): Promise<string> {
  return unpackInto(mkdtempSync(join(inject('scratch'), 'chromium-')))
}

async function unpackInto(directory: string): Promise<string> {
  const before = process.env.TMPDIR
  process.env.TMPDIR = directory
  try {
    return await sparticuz.executablePath()
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}

/** Saves a screenshot of the page, for people who want to see what a user sees: test/output/<name>.png */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(output, { recursive: true })
  await page.screenshot({ path: join(output, `${name}.png`), fullPage: true })
}
