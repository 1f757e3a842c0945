import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sparticuz from '@sparticuz/chromium'
import { type Browser, chromium, type Page } from 'playwright-core'

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
  return chromium.launch({ executablePath: system ?? (await sparticuz.executablePath()), args })
}

/** A picture of the page for whoever wants to see what a user sees: test/output/<name>.png */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(output, { recursive: true })
  await page.screenshot({ path: join(output, `${name}.png`), fullPage: true })
}
