import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { UntrustedRequestReason } from '../../src/authorize/authorization-request.ts'
import { type ErrorPage, errorPages } from '../../src/errors/catalogue.ts'
import type { Cause, Entry } from '../../src/errors/entry.ts'
import { managementProblems } from '../../src/errors/management.ts'
import { oauthErrors } from '../../src/errors/oauth.ts'
import { pageErrors } from '../../src/errors/pages.ts'
import { problems } from '../../src/errors/problems.ts'

// That the source uses only codes and reasons of the catalogue, the compiler checks.

/** A reason that is missing in the catalogue does not compile. */
const untrusted: Record<UntrustedRequestReason['kind'], Cause> = pageErrors.authorization_refused.causes

const families: Record<string, Record<string, Entry>> = { problems, managementProblems, oauthErrors }

/** The source without the catalogue. */
const source = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.startsWith('errors/'))
  .map((path) => readFileSync(`src/${path}`, 'utf8'))
  .join('\n')

/** Whether the source names it: as a text, or composed, such as `code_${reason}`. */
function isNamed(name: string): boolean {
  const isText = (text: string) => source.includes(`'${text}'`)
  const composed = [...name.matchAll(/_/g)].some(({ index }) => {
    const [before, after] = [name.slice(0, index + 1), name.slice(index + 1)]
    return source.includes(`\`${before}\${`) && isText(after)
  })
  return isText(name) || composed
}

const reasonsOf = ({ causes }: Entry) =>
  Object.entries(causes).flatMap(([reason, { message }]) => (message === undefined ? [] : reason))

test.each(Object.entries(families))('%s: the source uses every code and reason', (_family, entries) => {
  const unused = Object.entries(entries).flatMap(([code, entry]) => {
    const reasons = reasonsOf(entry)
    const isUsed = isNamed(code) || reasons.some(isNamed)
    return [...(isUsed ? [] : [code]), ...reasons.filter((reason) => !isNamed(reason))]
  })
  expect(unused).toEqual([])
})

test('the source uses every reason of the authorize page', () => {
  expect(Object.keys(untrusted).filter((reason) => !isNamed(reason))).toEqual([])
})

test.each(Object.entries(families))('%s: a reason belongs to one code', (_family, entries) => {
  const reasons = Object.values(entries).flatMap(reasonsOf)
  expect(reasons).toEqual([...new Set(reasons)])
})

test('12: reasons with the same text have the same anchor, so that the address reveals no more than the text', () => {
  for (const entry of Object.values(families).flatMap((entries) => Object.values(entries))) {
    const anchors = new Map<string, string>()
    for (const [reason, { message, anchor = reason.replaceAll('_', '-') }] of Object.entries(entry.causes)) {
      if (message === undefined || message.startsWith('{detail}')) continue
      expect(anchor, reason).toBe(anchors.get(message) ?? anchor)
      anchors.set(message, anchor)
    }
  }
})

describe('pages', () => {
  const texts = ({ title, meaning, retry, causes }: ErrorPage) => [
    meaning,
    retry,
    ...causes.flatMap(({ cause, remedy }) => [cause, remedy]),
    `${title}.`,
  ]

  test('there is one for each code', () => {
    const codes = errorPages.map(({ code }) => code)
    expect(codes).toEqual([...new Set(codes)])
    expect(codes.toSorted()).toEqual(
      [
        ...new Set(
          [problems, managementProblems, oauthErrors, pageErrors].flatMap((entries) => Object.keys(entries)),
        ),
      ].toSorted(),
    )
  })

  test.each(errorPages.map((page) => [page.code, page] as const))(
    '%s: sentences, and anchors that are not repeated',
    (_code, page) => {
      for (const text of texts(page)) expect(text).toMatch(/^[A-Z\w].+[.)]$/)
      const anchors = page.causes.map(({ anchor }) => anchor)
      expect(anchors).toEqual([...new Set(anchors)])
      for (const anchor of anchors) expect(anchor).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      // RFC 6749 section 5.2.
      for (const { message = '' } of page.causes) expect(message).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/)
    },
  )
})
