import { expect } from 'vitest'
import { authorize } from '../journey.ts'
import { answerOf } from '../pages.ts'
import type { TestPartner, TestServer } from '../server.ts'
import { type Page, Visitor } from '../visitor.ts'

/** A server with a user Ada, who is logged in in this browser and has connected this partner. */
export type SyncRequest = { server: TestServer; partner: TestPartner; ada: Visitor }

/** What shows that a statement of a document is true, by its name. It is given the value as served. */
export type Checks = Record<string, (value: unknown) => Promise<void>>

/** Of a statement that lists what is supported: just these, each with what shows it, and what is refused beside them. */
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

/** The same for each of a few values, when one check serves all. */
export function eachOf<Value extends string>(
  values: Value[],
  show: (value: Value) => Promise<void>,
  refused?: () => Promise<void>,
): (value: unknown) => Promise<void> {
  return listOf(Object.fromEntries(values.map((value) => [value, () => show(value)])), refused)
}

/** The first page, or the answer, to an authorization request of Ada's, or of a browser in which nobody is logged in. */
export function ask(
  { server, partner, ada }: SyncRequest,
  more: Record<string, string>,
  by = ada,
): Promise<Page> {
  return authorize(by, server, partner, more)
}

export async function errorOf(walk: SyncRequest, more: Record<string, string>): Promise<string | undefined> {
  return answerOf(walk.partner, await ask(walk, more, new Visitor())).error
}
