import type { Cause, Entry } from './entry.ts'
import { managementProblems } from './management.ts'
import { oauthErrors } from './oauth.ts'
import { pageErrors } from './pages.ts'
import { problems } from './problems.ts'

/** The problems of the API and of the admin API. */
export const allProblems = { ...problems, ...managementProblems }

/** The `code` of a problem. */
export type ProblemCode = keyof typeof allProblems
/** The `error` of an OAuth answer, or of the redirect to a partner. */
export type OAuthErrorCode = keyof typeof oauthErrors

type Entries = Record<string, Entry>
/** The causes of an entry that have a message: the code names them, and the log has them as `outcome`. */
type Reasons<E extends Entry> = {
  [C in keyof E['causes']]: E['causes'][C] extends { message: string } ? C & string : never
}[keyof E['causes']]
type ReasonOf<E extends Entries> = { [C in keyof E]: Reasons<E[C]> }[keyof E]
type MessageOf<E extends Entries, R extends string> = {
  [C in keyof E]: R extends keyof E[C]['causes']
    ? E[C]['causes'][R] extends { message: infer M }
      ? M
      : never
    : never
}[keyof E]

export type OAuthReason = ReasonOf<typeof oauthErrors>
export type ProblemReason = ReasonOf<typeof allProblems>
/** Every reason to refuse a request, as the log and the pages of the catalogue name it. */
export type RefusalReason = OAuthReason | ProblemReason

/** The argument that the message of a reason needs. */
type Detail<Message> = Message extends `${string}{detail}${string}` ? [detail: string] : []
export type OAuthDetail<R extends OAuthReason> = Detail<MessageOf<typeof oauthErrors, R>>
export type ProblemDetail<R extends ProblemReason> = Detail<MessageOf<typeof allProblems, R>>

type Explained<Code> = { code: Code; explanation: string; anchor: string }

/** The error code of a reason, its text for the partner, and its place on the page of the code. */
export function oauthReason<R extends OAuthReason>(
  reason: R,
  ...[detail]: OAuthDetail<R>
): Explained<OAuthErrorCode> {
  return explain(oauthReasons, reason, detail)
}

/** As `oauthReason`, for the API. */
export function problemReason<R extends ProblemReason>(
  reason: R,
  ...[detail]: ProblemDetail<R>
): Explained<ProblemCode> {
  return explain(problemReasons, reason, detail)
}

const oauthReasons = reasonsOf(oauthErrors)
const problemReasons = reasonsOf(allProblems)

function reasonsOf<E extends Entries>(entries: E): Map<string, Explained<keyof E & string>> {
  const reasons = new Map<string, Explained<keyof E & string>>()
  for (const code in entries) {
    for (const [reason, cause] of Object.entries<Cause>(entries[code]?.causes ?? {})) {
      if (cause.message === undefined) continue
      reasons.set(reason, { code, explanation: cause.message, anchor: anchorOf(reason, cause) })
    }
  }
  return reasons
}

function explain<Code>(reasons: Map<string, Explained<Code>>, reason: string, detail = ''): Explained<Code> {
  const found = reasons.get(reason)
  if (!found) throw new Error(`unknown reason ${reason}`)
  // A function, because `$&` has a meaning in a replacement text.
  return { ...found, explanation: found.explanation.replace('{detail}', () => detail) }
}

function anchorOf(name: string, { anchor }: Cause): string {
  return anchor ?? name.replaceAll('_', '-')
}

/** The page of a code. `anchor` is a cause of it. */
export function errorPageAddress(baseUrl: string, code: string, anchor?: string): string {
  return `${baseUrl}docs/errors/${code}${anchor === undefined ? '' : `#${anchor}`}`
}

/** What the page of a code shows. Causes with the same anchor are one. */
export type ErrorPage = Omit<Entry, 'causes'> & {
  code: string
  kind: 'problem' | 'oauth' | 'page' | 'management'
  causes: (Cause & { anchor: string })[]
}

/** One page for each code, for `docs/errors/{code}`. */
export const errorPages: readonly ErrorPage[] = [
  ...pagesOf('problem', problems),
  ...pagesOf('oauth', oauthErrors),
  ...pagesOf('page', pageErrors),
  ...pagesOf('management', managementProblems),
]

function pagesOf(kind: ErrorPage['kind'], entries: Entries): ErrorPage[] {
  return Object.entries(entries).map(([code, entry]) => {
    const causes = new Map<string, Cause & { anchor: string }>()
    for (const [name, cause] of Object.entries(entry.causes)) {
      const anchor = anchorOf(name, cause)
      if (!causes.has(anchor)) causes.set(anchor, { ...cause, anchor })
    }
    return { ...entry, code, kind, causes: [...causes.values()] }
  })
}

/** What the catalogue says about an error that was sent. `reason` is the `outcome` of its log line; it may have no cause. */
export function errorCause(
  code: string,
  reason: string,
): { code: string; title: string; anchor?: string; remedy?: string } | undefined {
  const entries: Entries = { ...pageErrors, ...oauthErrors, ...allProblems }
  const entry = Object.hasOwn(entries, code) ? entries[code] : undefined
  if (!entry) return undefined
  const cause = Object.hasOwn(entry.causes, reason) ? entry.causes[reason] : undefined
  const { title } = entry
  return cause ? { code, title, anchor: anchorOf(reason, cause), remedy: cause.remedy } : { code, title }
}

/**
 * As `errorCause`, for the caller: what the page of the code says, which does not distinguish causes that the answer must not
 * distinguish. Without a cause, `cause` is the meaning of the code.
 */
export function publicCause(
  code: string,
  reason: string,
): { code: string; title: string; anchor?: string; cause: string; remedy?: string } | undefined {
  const page = errorPages.find((candidate) => candidate.code === code)
  if (!page) return undefined
  const anchor = errorCause(code, reason)?.anchor
  const shown = page.causes.find((cause) => cause.anchor === anchor)
  const { title, meaning } = page
  return shown
    ? { code, title, anchor: shown.anchor, cause: shown.cause, remedy: shown.remedy }
    : { code, title, cause: meaning }
}
