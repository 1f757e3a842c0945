import { existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sparticuz from '@sparticuz/chromium'
import { type Browser, chromium, type Page } from 'playwright-core'
import { inject } from 'vitest'

const output = fileURLToPath(new URL('../output', import.meta.url))

// Not the package's own: its list turns web security off, which is what is under test here.
const args = [
  '--no-sandbox',
  '--headless=shell',
  '--disable-gpu',
  '--no-zygote',
  '--disable-background-networking',
]

/** The system's Chromium, or the one that comes from the registry. */
export async function launchBrowser(): Promise<Browser> {
  const system = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path))
  if (system) return chromium.launch({ executablePath: system, args })
  unpacked ??= unpack()
  return chromium.launch({ executablePath: await unpacked, args })
}

/** Once in each worker: a program that another worker is still writing cannot be run. */
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

/** A picture of the page for whoever wants to see what a user sees: test/output/<name>.png */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(output, { recursive: true })
  await page.screenshot({ path: join(output, `${name}.png`), fullPage: true })
}
