import { createHash } from 'node:crypto'
import { LatchkeyError } from './errors.ts'
import { isObject } from './http.ts'

export type SyncPage<T> = {
  data: T[]
  removed?: string[]
  removed_reasons?: Record<string, string>
  next_cursor: string | null
  receipt?: { count: number; removed?: number; sha256: string; as_of: string }
}

export type SyncResult<T, Reason extends string = string> = {
  /** Whether `changed` is all that the user sees. Then replace your copy. Otherwise update it. */
  full: boolean
  changed: T[]
  /** The ids of what the user no longer sees. Some may be unknown to you. */
  removed: string[]
  /** Why each id is in `removed`. Servers that are newer than this library may send other reasons, and older ones send none. */
  removedReasons: ReadonlyMap<string, Reason | (string & {})>
  /** Store it together with the changes, and send it as `since` next time. */
  asOf: string
}

export type PageQuery = Record<string, string>
type ReadPage<T> = (query: PageQuery) => Promise<SyncPage<T>>

/** Everything, or what changed since `since`. If the server no longer knows that, everything. */
export async function readChanges<T extends { id: string }, Reason extends string>(
  read: ReadPage<T>,
  since: string | undefined,
): Promise<SyncResult<T, Reason>> {
  try {
    return await readOnce(read, since)
  } catch (error) {
    if (!mustStartAgain(error)) throw error
    return readOnce(read, undefined)
  }
}

async function readOnce<T extends { id: string }, Reason extends string>(
  read: ReadPage<T>,
  since: string | undefined,
): Promise<SyncResult<T, Reason>> {
  // An entry may come twice, in two pages, once as removed and once not. The later page counts.
  const newest = new Map<string, T | null>()
  const reasons = new Map<string, string>()
  let asOf = ''
  for await (const page of readPages(read, since === undefined ? {} : { updated_since: since })) {
    for (const entry of page.data) newest.set(entry.id, entry)
    for (const id of page.removed ?? []) newest.set(id, null)
    for (const [id, reason] of Object.entries(page.removed_reasons ?? {})) reasons.set(id, reason)
    asOf = page.receipt?.as_of ?? ''
  }
  const changed = [...newest.values()].filter((entry) => entry !== null)
  const removed = [...newest].filter(([, entry]) => entry === null).map(([id]) => id)
  const removedReasons = new Map([...reasons].filter(([id]) => newest.get(id) === null))
  return { full: since === undefined, changed, removed, removedReasons, asOf }
}

/** The changes since then are not known, or the cursor is from before the server's secret was replaced. */
function mustStartAgain(error: unknown): boolean {
  if (!(error instanceof LatchkeyError)) return false
  return error.code === 'sync_expired' || error.parameters.some(({ parameter }) => parameter === 'cursor')
}

/** All pages, in order. The last one comes only if the summary of the server matches what was read. */
export async function* readPages<T extends { id: string }>(
  read: ReadPage<T>,
  first: PageQuery,
): AsyncGenerator<SyncPage<T>, void> {
  const digest = createHash('sha256')
  let count = 0
  let removed = 0
  for (let query = first; ; ) {
    const page = await read({ ...query, limit: '1000' })
    for (const { id } of page.data) digest.update(`${id}\n`)
    count += page.data.length
    removed += page.removed?.length ?? 0
    if (page.next_cursor === null) checkSummary(page, { count, removed, sha256: digest.digest('hex') })
    yield page
    if (page.next_cursor === null) return
    query = { cursor: page.next_cursor }
  }
}

function checkSummary(
  { receipt }: SyncPage<unknown>,
  own: { count: number; removed: number; sha256: string },
): void {
  const matches =
    receipt?.count === own.count && (receipt.removed ?? 0) === own.removed && receipt.sha256 === own.sha256
  if (matches) return
  throw new LatchkeyError(
    'summary_mismatch',
    `The server sent ${receipt?.count} entries and ${own.count} arrived, or their ids differ. Read everything again.`,
  )
}

export function isSyncPage<T extends { id: string }>(value: unknown): value is SyncPage<T> {
  return (
    isObject(value) &&
    isEntries(value.data) &&
    (value.removed === undefined || isTexts(value.removed)) &&
    (value.removed_reasons === undefined || areReasons(value.removed_reasons)) &&
    (typeof value.next_cursor === 'string' || (value.next_cursor === null && isReceipt(value.receipt)))
  )
}

/** Checks what this library relies on. The other fields have the types of the API's description. */
export function isEntries<T extends { id: string }>(value: unknown): value is T[] {
  return Array.isArray(value) && value.every(isEntry)
}

export function isEntry<T extends { id: string }>(value: unknown): value is T {
  return isObject(value) && typeof value.id === 'string'
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function areReasons(value: unknown): value is Record<string, string> {
  return isObject(value) && isTexts(Object.values(value))
}

function isReceipt(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.count === 'number' &&
    typeof value.sha256 === 'string' &&
    typeof value.as_of === 'string'
  )
}
