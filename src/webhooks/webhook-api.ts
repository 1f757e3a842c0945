import type { Answer } from '../management/answers.ts'
import type { Caller } from '../management/api.ts'
import type { Call, NoFields, Route } from '../management/route.ts'
import type { TObject, TSchema, TString } from '../typebox.ts'

/** An operation about the webhooks of a partner. Each API adds the right, and how the address names the partner. */
export type WebhookRoute<Q extends TObject, B extends TSchema> = Omit<Route<NoFields, Q, B>, 'schema'> & {
  right: 'read' | 'change'
  schema?: { querystring?: Q; body?: B }
  /** It reads on `database.expensive`: the developer API limits how many of these run at a time. The admin API does not. */
  isExpensive?: true
}

/** An operation about one endpoint or message. `url` contains `:id`, and `id` describes it. */
export type WebhookItemRoute<Q extends TObject, B extends TSchema> = WebhookRoute<Q, B> & { id: TString }

/** A call about the webhooks of the partner `clientId`, which the caller may make. */
type WebhookCall<P extends TObject, Q extends TObject, B extends TSchema> = Pick<
  Call<Caller, P, Q, B>,
  'request' | 'origin' | 'database' | 'carryOut'
> & { clientId: string }

/** An API that has the operations about webhooks. */
export type WebhookApi = {
  /** The partner, at the beginning of a sentence: `Your application`. */
  partner: string
  /** The address of a resource. @param path below what names the partner: `webhooks` and an id */
  address(clientId: string, ...path: string[]): string
  /** Serves an operation about all webhooks of a partner. */
  serve<Q extends TObject, B extends TSchema>(
    route: WebhookRoute<Q, B>,
    handler: (call: WebhookCall<NoFields, Q, B>) => Promise<Answer>,
  ): void
  /** Serves an operation about one endpoint or message. */
  serveItem<Q extends TObject, B extends TSchema>(
    route: WebhookItemRoute<Q, B>,
    handler: (call: WebhookCall<TObject<{ id: TString }>, Q, B>) => Promise<Answer>,
  ): void
}

/** A route's description, in the file of operations. */
export function describeWebhookRoute<Q extends TObject = NoFields, B extends TSchema = NoFields>(
  route: WebhookRoute<Q, B>,
): WebhookRoute<Q, B> {
  return route
}

/** As `describeWebhookRoute`, for one endpoint or message. */
export function describeItemRoute<Q extends TObject = NoFields, B extends TSchema = NoFields>(
  route: WebhookItemRoute<Q, B>,
): WebhookItemRoute<Q, B> {
  return route
}
