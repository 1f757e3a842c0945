import { isOfPartner, type Origin, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import type { Database } from '../database/database.ts'
import { checkVisible, quoted } from '../visible-text.ts'
import { addressFaults } from './address-guard.ts'
import {
  deleteEndpoint,
  disableEndpointRow,
  type Endpoint,
  enableEndpointRow,
  insertEndpoint,
  listEndpointRows,
  mostEndpoints,
  rotateSecretRow,
  updateEndpointRow,
} from './endpoints.sql.ts'
import { eventTypes } from './event-types.ts'
import { type NewSecret, newSecret, type SecretKind } from './signing.ts'

/** The events that an endpoint can subscribe to. `webhook.test` comes without. */
const subscribableEvents: readonly string[] = eventTypes.filter((type) => type !== 'webhook.test')

/** What the use cases need. A command has no complete `Context`. */
export type WebhookContext = Pick<Context, 'database' | 'keys'> & {
  config: Pick<Context['config'], 'environment' | 'webhookAllow'>
}

/** Names an endpoint of a partner. An endpoint of another partner is unknown. */
export type EndpointName = { clientId: string; id: string }

type EndpointSettings = {
  url: string
  /** Default: all types. */
  events?: string[] | undefined
  /** For people. Empty: none. */
  description?: string | undefined
}

/** Undefined: not changed. */
type EndpointChanges = Omit<EndpointSettings, 'url'> & { url?: string | undefined }

type Refused = { kind: 'refused'; faults: string[] }
type Unknown = { kind: 'unknown' }

/** `secret` is the only copy of a shared secret; null for `ed25519`, whose public key is in the endpoint. */
export type EndpointAddition =
  | { kind: 'added'; endpoint: Endpoint; secret: string | null }
  /** There is no such partner. */
  | Unknown
  | Refused

export type EndpointUpdate = { kind: 'updated'; endpoint: Endpoint } | Unknown | Refused
export type EndpointChange = { kind: 'changed'; endpoint: Endpoint } | Unknown
export type WebhookSecretRotation = { kind: 'rotated'; endpoint: Endpoint; secret: string | null } | Unknown

type NewEndpoint = EndpointSettings & { secretKind?: SecretKind | undefined }

/** The settings of a new endpoint, and all that is wrong with them. */
export type CheckedEndpoint = NewEndpoint & { events: string[]; faults: string[] }

/** Adds an endpoint, or returns all faults and adds none. */
export async function addEndpoint(
  context: WebhookContext,
  origin: Origin,
  { clientId, ...settings }: NewEndpoint & { clientId: string },
): Promise<EndpointAddition> {
  return storeEndpoint(context, origin, clientId, await checkEndpoint(context, settings))
}

/** Takes up to 5 seconds, because a partner chooses the name server of the address. Not for a transaction. */
export async function checkEndpoint(
  { config }: Pick<WebhookContext, 'config'>,
  settings: NewEndpoint,
): Promise<CheckedEndpoint> {
  const { events = [...subscribableEvents] } = settings
  return { ...settings, events, faults: await faultsOf(config, { ...settings, events }) }
}

/** The second part of `addEndpoint`. */
export async function storeEndpoint(
  context: Pick<WebhookContext, 'database' | 'keys'>,
  origin: Origin,
  clientId: string,
  { faults, url, events, description, secretKind = 'hmac' }: CheckedEndpoint,
): Promise<EndpointAddition> {
  if (faults.length > 0) return { kind: 'refused', faults }
  const secret = newSecret(context.keys, secretKind)
  const row = await context.database.maybe(insertEndpoint, [
    ...[clientId, normalised(url), inOrder(events), description?.trim() || null],
    ...secretColumns(secretKind, secret),
    originValue(origin),
  ])
  if (!row) return { kind: 'unknown' }
  const { id } = row
  if (id === null)
    return {
      kind: 'refused',
      faults: [`A partner has at most ${mostEndpoints} endpoints. Remove one first.`],
    }
  return { kind: 'added', endpoint: await changedEndpoint(context, { clientId, id }), secret: secret.shown }
}

/** The endpoints of a partner, oldest first. */
export function listEndpoints(database: Database, clientId: string): Promise<Endpoint[]> {
  return database.run(listEndpointRows, [clientId, null])
}

/** Undefined: the partner has no such endpoint. */
export async function findEndpoint(
  database: Database,
  clientId: string,
  id: string,
): Promise<Endpoint | undefined> {
  return isUuid(id) ? database.maybe(listEndpointRows, [clientId, id]) : undefined
}

/** Changes the given settings, or returns all faults and changes nothing. */
export async function updateEndpoint(
  context: WebhookContext,
  origin: Origin,
  input: EndpointName & EndpointChanges,
): Promise<EndpointUpdate> {
  const { url, events, description } = input
  if (!isUuid(input.id)) return { kind: 'unknown' }
  const isEmpty = url === undefined && events === undefined && description === undefined
  const faults = isEmpty ? ['There is nothing to change.'] : await faultsOf(context.config, input)
  if (faults.length > 0) return { kind: 'refused', faults }
  const row = await context.database.maybe(updateEndpointRow, [
    ...[input.clientId, input.id, url === undefined ? null : normalised(url)],
    ...[events ? inOrder(events) : null, description?.trim() ?? null, originValue(origin)],
  ])
  return row ? { kind: 'updated', endpoint: await changedEndpoint(context, input) } : { kind: 'unknown' }
}

/** Removes an endpoint with its messages. Attempts in progress end by themselves. */
export async function removeEndpoint(
  { database }: Pick<WebhookContext, 'database'>,
  origin: Origin,
  { clientId, id }: EndpointName,
): Promise<{ kind: 'removed' } | Unknown> {
  if (!isUuid(id)) return { kind: 'unknown' }
  const row = await database.maybe(deleteEndpoint, [clientId, id, originValue(origin)])
  return { kind: row ? 'removed' : 'unknown' }
}

/**
 * Adds a secret. The one before it signs for a day more, or, with `endOthers`, none does.
 * @param input.secretKind of the new secret. Default: `hmac`
 */
export async function rotateWebhookSecret(
  context: WebhookContext,
  origin: Origin,
  input: EndpointName & { secretKind?: SecretKind | undefined; endOthers?: boolean | undefined },
): Promise<WebhookSecretRotation> {
  const { clientId, id, secretKind = 'hmac', endOthers = false } = input
  if (!isUuid(id)) return { kind: 'unknown' }
  const secret = newSecret(context.keys, secretKind)
  const values = [clientId, id, ...secretColumns(secretKind, secret), endOthers, originValue(origin)]
  const row = await context.database.maybe(rotateSecretRow, values)
  if (!row) return { kind: 'unknown' }
  return { kind: 'rotated', endpoint: await changedEndpoint(context, input), secret: secret.shown }
}

/** The messages that waited are delivered in their order. Developers cannot enable what the operator has disabled. */
export async function enableEndpoint(
  context: Pick<WebhookContext, 'database'>,
  origin: Origin,
  { clientId, id }: EndpointName,
): Promise<EndpointChange | Refused> {
  if (!isUuid(id)) return { kind: 'unknown' }
  const values = [clientId, id, sideOf(origin), originValue(origin)]
  const row = await context.database.maybe(enableEndpointRow, values)
  if (!row) return { kind: 'unknown' }
  if (row.is_refused)
    return {
      kind: 'refused',
      faults: ['The operator has disabled this endpoint. Ask the operator to enable it.'],
    }
  return { kind: 'changed', endpoint: await changedEndpoint(context, { clientId, id }) }
}

/** Messages wait until the endpoint is enabled, for 30 days at most. */
export async function disableEndpoint(
  context: Pick<WebhookContext, 'database'>,
  origin: Origin,
  { clientId, id }: EndpointName,
): Promise<EndpointChange> {
  if (!isUuid(id)) return { kind: 'unknown' }
  const values = [clientId, id, sideOf(origin), originValue(origin)]
  const row = await context.database.maybe(disableEndpointRow, values)
  return row
    ? { kind: 'changed', endpoint: await changedEndpoint(context, { clientId, id }) }
    : { kind: 'unknown' }
}

/** @throws {Error} if the endpoint was removed since it was changed */
function changedEndpoint(
  { database }: Pick<WebhookContext, 'database'>,
  { clientId, id }: EndpointName,
): Promise<Endpoint> {
  return database.one(listEndpointRows, [clientId, id])
}

/** Whether the text can be an id of endpoints and messages. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

function secretColumns(kind: SecretKind, { sealed, publicKey }: NewSecret): [string, string, Buffer | null] {
  return [kind, sealed, publicKey]
}

/** As it is requested. What the URL parser leaves out or decodes could make pages and mails show another host. */
function normalised(url: string): string {
  return new URL(url).href
}

function sideOf(origin: Origin): 'partner' | 'operator' {
  return isOfPartner(origin) ? 'partner' : 'operator'
}

function inOrder(given: string[]): string[] {
  return subscribableEvents.filter((type) => given.includes(type))
}

async function faultsOf(
  config: WebhookContext['config'],
  { url, events, description = '' }: EndpointChanges,
): Promise<string[]> {
  const invisible = checkVisible(description)
  return [
    ...(url === undefined ? [] : await addressFaults(url, config)),
    ...(events?.length === 0
      ? [`At least one type of event is required: ${subscribableEvents.join(', ')}.`]
      : []),
    ...(events ?? [])
      .filter((type) => !subscribableEvents.includes(type))
      .map((type) => `There is no event ${quoted(type)}. The events are ${subscribableEvents.join(', ')}.`),
    ...(/^[^\p{Cc}]{0,200}$/u.test(description)
      ? []
      : ['The description must have at most 200 characters, without control characters.']),
    ...(invisible ? [`The description ${invisible}.`] : []),
  ]
}
