import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { pageFaults } from './accessibility.ts'

/** What holds for each page of a branded deployment, in each state, language and size. */
export async function checkBrandedPage(page: Page, shows: string, language: string): Promise<void> {
  expect.soft(await pageFaults(page), shows).toEqual([])
  expect.soft(await page.locator('html').getAttribute('lang'), shows).toBe(language)
  expect.soft(await page.title(), shows).toMatch(/ · Northbridge$/)
  expect.soft(await shownText(page), shows).not.toMatch(/latchkey/i)
}

/** All that a page says, to screen readers too. Not its addresses. */
function shownText(page: Page): Promise<string> {
  return page.evaluate<string>(
    `[document.body.innerText, ...[...document.querySelectorAll('[alt],[aria-label],[title],[placeholder]')].flatMap(
      (one) => ['alt', 'aria-label', 'title', 'placeholder'].map((name) => one.getAttribute(name) ?? ''))].join('\\n')`,
  )
}
