import { auditRow, changedFields, jsonOf } from '../audit/audit-row.sql.ts'
import type { AuditEvent } from '../audit/events.ts'
import { Bytes, Instant, statement } from '../database/database.ts'
import { SigningAlgorithm } from '../keys/signing-keys.ts'
import { LimitSettings } from '../limit-settings.ts'
import Type, { type Static } from '../typebox.ts'
import { PartnerJwk } from './jwks.ts'

export const AuthMethod = Type.Union([
  Type.Literal('client_secret_basic'),
  Type.Literal('client_secret_post'),
  Type.Literal('private_key_jwt'),
])
export type AuthMethod = Static<typeof AuthMethod>

export const Partner = Type.Object({
  client_id: Type.String(),
  name: Type.String(),
  status: Type.Union([Type.Literal('active'), Type.Literal('suspended')]),
  redirect_uris: Type.Array(Type.String()),
  require_pkce: Type.Boolean(),
  auth_methods: Type.Array(AuthMethod),
  key_ids: Type.Array(Type.String()),
  id_token_alg: SigningAlgorithm,
  /** Whether a refresh also returns an id_token. */
  id_token_on_refresh: Type.Boolean(),
  post_logout_redirect_uris: Type.Array(Type.String()),
  /** The partner's public web site. */
  site: Type.Union([Type.String(), Type.Null()]),
  /** The file name in the address of its logo. The picture itself is read only when it is shown. */
  logo: Type.Union([Type.String(), Type.Null()]),
  privacy_url: Type.Union([Type.String(), Type.Null()]),
  /** One sentence about the application, for users. */
  description: Type.Union([Type.String(), Type.Null()]),
  /** Absent limits are those of the deployment. */
  limits: LimitSettings,
  /** Days for which a user's consent is valid. Null: the default of the deployment. */
  grant_lifetime_days: Type.Union([Type.Integer(), Type.Null()]),
  /** The weakest `acr` with which users may connect, and with which access tokens are accepted. */
  require_acr: Type.Union([Type.String(), Type.Null()]),
})
export type Partner = Static<typeof Partner>

const columns = `client_id, name, status, redirect_uris, require_pkce, auth_methods,
  ARRAY(SELECT key->>'kid' FROM jsonb_array_elements(jwks->'keys') WITH ORDINALITY AS k (key, place) ORDER BY place) AS key_ids,
  id_token_alg, id_token_on_refresh, post_logout_redirect_uris, site, logo, privacy_url, description, limits,
  grant_lifetime_days, require_acr`

/** SQL for what the audit log has of partner `p`. */
export const settingsOf = (p: string) =>
  `${jsonOf(p, [
    ...['name', 'status', 'redirect_uris', 'require_pkce', 'auth_methods', 'key_thumbprints', 'id_token_alg'],
    ...[
      'id_token_on_refresh',
      'post_logout_redirect_uris',
      'site',
      'logo',
      'privacy_url',
      'description',
      'limits',
    ],
    ...['grant_lifetime_days', 'require_acr'],
  ])} || jsonb_build_object('live_secrets', cardinality(${p}.secret_hashes))`

/**
 * SQL for common table expressions: `old` is the partner before the change, locked, if `where` is true. The caller adds
 * `changed`, the partner after it, and `recordOf`.
 */
const lockedPartner = (where: string) =>
  `old AS (SELECT client_id, ${settingsOf('p')} AS settings FROM partners p WHERE ${where} FOR NO KEY UPDATE)`

/** SQL: the audit row of a change that `lockedPartner` begins. */
const recordOf = (event: AuditEvent, origin: string) =>
  auditRow(event, {
    origin,
    from: 'changed c JOIN old USING (client_id)',
    target: { kind: 'partner', id: 'c.client_id' },
    about: { client: 'c.client_id' },
    details: changedFields('old.settings', `(${settingsOf('c')})`),
  })

/** $1 client_id */
export const findPartner = statement(
  'find_partner',
  Partner,
  `SELECT ${columns} FROM partners WHERE client_id = $1`,
)

const ListedPartner = Type.Object({
  ...Partner.properties,
  created_at: Instant,
  live_secrets: Type.Integer(),
})
export type ListedPartner = Static<typeof ListedPartner>

const listedColumns = `${columns}, created_at, cardinality(secret_hashes) AS live_secrets`

export const listPartners = statement(
  'list_partners',
  ListedPartner,
  `SELECT ${listedColumns} FROM partners ORDER BY name, client_id`,
)

/** $1 client_id */
export const findListedPartner = statement(
  'find_listed_partner',
  ListedPartner,
  `SELECT ${listedColumns} FROM partners WHERE client_id = $1`,
)

/** In the order of the client ids. $1 client_id after which the page begins, or null, $2 rows, $3 status or null */
export const pageOfPartners = statement(
  'page_of_partners',
  ListedPartner,
  `SELECT ${listedColumns} FROM partners
    WHERE client_id > coalesce($1::text, '') AND ($3::text IS NULL OR status = $3) ORDER BY client_id LIMIT $2`,
)

/**
 * An empty text for $14, $15, $17 or $18 counts as null. No row: the client_id is taken.
 *
 * $1 client_id, $2 name, $3 redirect URIs, $4 whether PKCE is required, $5 authentication methods, $6 SHA-256 of each
 * secret, $7 JWKS as JSON or null, $8 thumbprints of its keys, $9 algorithm of id_tokens, $10 post-logout redirect URIs,
 * $11 whether a refresh returns an id_token, $12 limits as JSON, $13 days for which a consent is valid or null, $14 web site or
 * null, $15 file name of the logo or null, $16 the picture or null, $17 privacy URL or null, $18 description or null,
 * $19 required `acr` or null, $20 origin, $21 the request to go live, for the audit log, as JSON or null
 */
export const insertPartner = statement(
  'insert_partner',
  Type.Object({ client_id: Type.String() }),
  `WITH created AS (
     INSERT INTO partners (client_id, name, redirect_uris, require_pkce, auth_methods, secret_hashes, jwks,
                           key_thumbprints, id_token_alg, post_logout_redirect_uris, id_token_on_refresh, limits,
                           grant_lifetime_days, site, logo, logo_image, privacy_url, description, require_acr)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
             nullif($14, ''), nullif($15, ''), $16, nullif($17, ''), nullif($18, ''), $19)
         ON CONFLICT (client_id) DO NOTHING RETURNING *
   ), recorded AS (
     ${auditRow('partner.created', {
       origin: '$20',
       from: 'created c',
       target: { kind: 'partner', id: 'c.client_id' },
       about: { client: 'c.client_id' },
       details: { after: settingsOf('c'), request: '$21::jsonb' },
     })}
   )
   SELECT client_id FROM created`,
)

/**
 * Changes settings. Null does not change a setting, an empty text removes it. No row: no such partner, or its methods have been
 * changed in the meantime.
 *
 * $1 client_id, $2 name, $3 redirect URIs, $4 the authentication methods that the partner must have now, $5 the new ones,
 * $6 SHA-256 of each secret, $7 JWKS as JSON, $8 thumbprints of its keys, $9 whether a refresh returns an id_token, $10 limits
 * as JSON: those not in it do not change, null removes one, $11 days for which a consent is valid (0: the default of the
 * deployment), $12 web site, $13 file name of the logo, $14 the picture, $15 privacy URL, $16 description, $17 required `acr`,
 * $18 whether PKCE is required, $19 post-logout redirect URIs, $20 origin
 */
export const updatePartnerSettings = statement(
  'update_partner_settings',
  Partner,
  `WITH ${lockedPartner('client_id = $1 AND auth_methods = $4')}, changed AS (
     UPDATE partners
        SET name = coalesce($2, name), redirect_uris = coalesce($3, redirect_uris),
            auth_methods = coalesce($5, auth_methods), secret_hashes = coalesce($6, secret_hashes),
            jwks = CASE WHEN $7::text IS NULL THEN jwks ELSE nullif($7, '')::jsonb END,
            key_thumbprints = coalesce($8, key_thumbprints),
            id_token_on_refresh = coalesce($9, id_token_on_refresh),
            limits = jsonb_strip_nulls(limits || coalesce($10::jsonb, '{}')),
            grant_lifetime_days = CASE WHEN $11::integer IS NULL THEN grant_lifetime_days ELSE nullif($11, 0) END,
            site = nullif(coalesce($12, site), ''),
            logo = nullif(coalesce($13, logo), ''),
            logo_image = CASE WHEN $13::text IS NULL THEN logo_image ELSE $14::bytea END,
            privacy_url = nullif(coalesce($15, privacy_url), ''),
            description = nullif(coalesce($16, description), ''),
            require_acr = nullif(coalesce($17, require_acr), ''),
            require_pkce = coalesce($18, require_pkce),
            post_logout_redirect_uris = coalesce($19, post_logout_redirect_uris)
      WHERE client_id = (SELECT client_id FROM old) AND auth_methods = $4
     RETURNING *
   ), recorded AS (
     ${recordOf('partner.updated', '$20')}
   )
   SELECT ${columns} FROM changed`,
)

/** $1 client_id, $2 origin. No row: no such partner. */
const statusStatement = (name: string, status: Partner['status'], event: AuditEvent) =>
  statement(
    name,
    Partner,
    `WITH ${lockedPartner('client_id = $1')}, changed AS (
     UPDATE partners SET status = '${status}' WHERE client_id = (SELECT client_id FROM old) RETURNING *
   ), recorded AS (
     ${recordOf(event, '$2')}
   )
   SELECT ${columns} FROM changed`,
  )

export const suspendPartner = statusStatement('suspend_partner', 'suspended', 'partner.suspended')
export const resumePartner = statusStatement('resume_partner', 'active', 'partner.resumed')

/**
 * Adds a secret. Either the newest of the other secrets stays live while the partner changes over, or, after a leak, none
 * does. All secrets are in the partner's row, so of two parallel rotations the second sees the result of the first.
 * $1 client_id, $2 SHA-256 of the new secret, $3 how many other secrets stay live, 0 or 1, $4 origin. No row: no such
 * partner.
 */
export const rotateSecret = statement(
  'rotate_partner_secret',
  Type.Object({ client_id: Type.String(), live_secrets: Type.Integer() }),
  `WITH ${lockedPartner('client_id = $1')}, changed AS (
     UPDATE partners SET secret_hashes = ARRAY[$2::bytea] || secret_hashes[1:$3::int]
      WHERE client_id = (SELECT client_id FROM old) RETURNING *
   ), recorded AS (
     ${recordOf('partner.secret_rotated', '$4')}
   )
   SELECT client_id, cardinality(secret_hashes) AS live_secrets FROM changed`,
)

/**
 * Ends all secrets but the newest. $1 client_id, $2 origin. No row: no such partner. `ended`: how many secrets have ended.
 */
export const endOldSecretRows = statement(
  'end_old_secrets',
  Type.Object({ ended: Type.Integer() }),
  `WITH ${lockedPartner('client_id = $1')}, changed AS (
     UPDATE partners SET secret_hashes = secret_hashes[1:1]
      WHERE client_id = (SELECT client_id FROM old) AND cardinality(secret_hashes) > 1 RETURNING *
   ), recorded AS (
     ${recordOf('partner.secret_ended', '$2')}
   )
   SELECT (old.settings->>'live_secrets')::int - coalesce(cardinality(c.secret_hashes), (old.settings->>'live_secrets')::int) AS ended
     FROM old LEFT JOIN changed c USING (client_id)`,
)

/** $1 client_id, $2 JWKS as JSON, $3 thumbprints of its keys, $4 origin. No row: no such partner. */
export const replaceKeys = statement(
  'replace_partner_keys',
  Partner,
  `WITH ${lockedPartner('client_id = $1')}, changed AS (
     UPDATE partners SET jwks = $2, key_thumbprints = $3 WHERE client_id = (SELECT client_id FROM old) RETURNING *
   ), recorded AS (
     ${recordOf('partner.keys_replaced', '$4')}
   )
   SELECT ${columns} FROM changed`,
)

/** $1 client_id */
export const findClientKeys = statement(
  'find_client_keys',
  Type.Object({ keys: Type.Array(PartnerJwk) }),
  `SELECT coalesce(jwks->'keys', '[]') AS keys FROM partners WHERE client_id = $1`,
)

/** $1 the file name in its address. No row: no partner has this logo. */
export const findLogo = statement(
  'find_logo',
  Type.Object({ image: Bytes }),
  `SELECT logo_image AS image FROM partners WHERE logo = $1 LIMIT 1`,
)
