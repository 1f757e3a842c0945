import { expect } from 'vitest'
import { authorize } from '../journey.ts'
import { answerOf } from '../pages.ts'
import type { TestPartner, TestServer } from '../server.ts'
import { type Page, Visitor } from '../visitor.ts'

/** A server, a partner, and the browser of the user Ada, who is logged in and has connected the partner. */
export type MetadataFixture = { server: TestServer; partner: TestPartner; ada: Visitor }

/** For each field of a metadata document, a check that its value is true. It gets the value as served. */
export type Checks = Record<string, (value: unknown) => Promise<void>>

/** Checks a field that lists supported values: it lists exactly these, each works, and unlisted values are refused. */
export function listOf(
  shows: Record<string, () => Promise<void>>,
  refused: () => Promise<void> = async () => {},
): (value: unknown) => Promise<void> {
  return async (value) => {
    expect([value].flat().sort()).toEqual(Object.keys(shows).sort())
    for (const show of Object.values(shows)) await show()
    await refused()
  }
}

/** The same where one check serves for all values. */
export function eachOf<Value extends string>(
  values: Value[],
  show: (value: Value) => Promise<void>,
  refused?: () => Promise<void>,
): (value: unknown) => Promise<void> {
  return listOf(Object.fromEntries(values.map((value) => [value, () => show(value)])), refused)
}

/** The first page, or the response, to an authorization request. By default in Ada's browser. */
export function ask(
  { server, partner, ada }: MetadataFixture,
  more: Record<string, string>,
  by = ada,
): Promise<Page> {
  return authorize(by, server, partner, more)
}

export async function errorOf(
  fixture: MetadataFixture,
  more: Record<string, string>,
): Promise<string | undefined> {
  return answerOf(fixture.partner, await ask(fixture, more, new Visitor())).error
}
