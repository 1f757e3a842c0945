import { auditRow, jsonOf } from '../audit/audit-row.sql.ts'
import type { AuditEvent } from '../audit/events.ts'
import { Instant, type Statement, statement } from '../database/database.ts'
import { PublicJwk } from '../keys/signing-keys.ts'
import { counting, sourceLimit, windowMinutes } from '../login/login.sql.ts'
import Type, { orNull, type Static } from '../typebox.ts'

export const ProviderAuthMethod = Type.Union([
  Type.Literal('client_secret_basic'),
  Type.Literal('client_secret_post'),
  Type.Literal('client_secret_jwt'),
  Type.Literal('private_key_jwt'),
])
export type ProviderAuthMethod = Static<typeof ProviderAuthMethod>

/** What a login through a provider needs. */
export const Provider = Type.Object({
  id: Type.String(),
  name: Type.String(),
  issuer: Type.String(),
  client_id: Type.String(),
  auth_method: ProviderAuthMethod,
  /** Sealed: the client secret, or the private key as a JWK. */
  credential: Type.String(),
  /** Of `private_key_jwt`. */
  public_jwk: orNull(PublicJwk),
  /** The claim whose value finds the user at the first login. */
  claim: Type.String(),
  matches: Type.Union([Type.Literal('email'), Type.Literal('id')]),
  scope: Type.String(),
  acr_values: orNull(Type.String()),
  creates_users: Type.Boolean(),
  /** Whether some of its users may also log in with a password. */
  allows_passwords: Type.Boolean(),
})
export type Provider = Static<typeof Provider>

const provider = `p.id, p.name, p.issuer, p.client_id, p.auth_method, p.credential, p.public_jwk, p.claim, p.matches, p.scope,
          p.acr_values, p.creates_firm IS NOT NULL AND p.creates_role IS NOT NULL AS creates_users,
          EXISTS (SELECT FROM firms f WHERE f.local_passwords AND (p.firms = '{}' OR f.id = ANY (p.firms)))
            AS allows_passwords`

/** $1 id of the provider */
export const findProvider: Statement<Provider> = statement(
  'find_provider',
  Provider,
  `SELECT ${provider} FROM identity_providers p WHERE p.id = $1`,
)

/**
 * The provider of a callback. Counts the callback against its source, because each sends a request to the provider. A
 * successful login takes its count back (`findIdentity`).
 * $1 id of the provider, $2 key of the source. No row: there is no such provider, and nothing is counted.
 */
export const admitCallback = statement(
  'admit_callback',
  Type.Object({
    ...Provider.properties,
    /** Seconds until another callback is allowed; null if this one is allowed. */
    wait: orNull(Type.Integer()),
  }),
  `WITH source AS (
     INSERT INTO login_failures AS f (key, count, resets_at)
     SELECT $2, 1, now() + interval '${windowMinutes} minutes' FROM identity_providers WHERE id = $1
     ${counting}
   )
   SELECT ${provider},
          CASE WHEN count > ${sourceLimit} THEN ceil(extract(epoch FROM resets_at - now()))::int END AS wait
     FROM identity_providers p, source WHERE p.id = $1`,
)

/** The provider whose users have addresses in this domain. $1 the domain, folded */
export const findProviderOfDomain: Statement<Provider> = statement(
  'find_provider_of_domain',
  Provider,
  `SELECT ${provider} FROM identity_providers p JOIN identity_provider_domains d ON d.provider_id = p.id WHERE d.domain = $1`,
)

const LoginChoice = Type.Object({
  id: Type.String(),
  name: Type.String(),
  issuer: Type.String(),
  /** Whether the email domain decides. Otherwise every user gets a button for the provider. */
  by_domain: Type.Boolean(),
  /** Whether there are firms whose users log in with a password. The same in all rows. */
  passwords: Type.Boolean(),
})

/** What the login page offers. No row: only passwords. */
export const loginChoices = statement(
  'login_choices',
  LoginChoice,
  `SELECT p.id, p.name, p.issuer,
          EXISTS (SELECT FROM identity_provider_domains d WHERE d.provider_id = p.id) AS by_domain,
          EXISTS (SELECT FROM firms WHERE local_passwords) AS passwords
     FROM identity_providers p ORDER BY p.name, p.id`,
)

const ListedProvider = Type.Object({
  id: Type.String(),
  name: Type.String(),
  issuer: Type.String(),
  client_id: Type.String(),
  auth_method: ProviderAuthMethod,
  claim: Type.String(),
  matches: Type.String(),
  domains: Type.Array(Type.String()),
  firms: Type.Array(Type.String()),
  creates_firm: orNull(Type.String()),
  creates_role: orNull(Type.String()),
  scope: Type.String(),
  acr_values: orNull(Type.String()),
  created_at: Instant,
  /** Whether operators log in there, and what their logins must reach. */
  operators: Type.Boolean(),
  operators_acr: orNull(Type.String()),
  /** Whether developers of partners log in there, and what their logins must reach. */
  developers: Type.Boolean(),
  developers_acr: orNull(Type.String()),
  /** Users who have logged in through the provider or were linked by the operator. */
  linked_users: Type.Integer(),
  live_sessions: Type.Integer(),
  last_login_at: orNull(Instant),
})
export type ListedProvider = Static<typeof ListedProvider>

/** $1 id of a provider, or null for all */
export const listProviders = statement(
  'list_providers',
  ListedProvider,
  `SELECT p.id, p.name, p.issuer, p.client_id, p.auth_method, p.claim, p.matches,
          ARRAY(SELECT d.domain FROM identity_provider_domains d WHERE d.provider_id = p.id ORDER BY d.domain) AS domains,
          p.firms, p.creates_firm, p.creates_role, p.scope, p.acr_values, p.created_at, p.operators, p.operators_acr,
          p.developers, p.developers_acr,
          (SELECT count(*)::int FROM identities i WHERE i.provider_id = p.id) AS linked_users,
          (SELECT count(*)::int FROM sessions s WHERE s.provider_id = p.id AND s.expires_at > now()) AS live_sessions,
          (SELECT max(i.last_login_at) FROM identities i WHERE i.provider_id = p.id) AS last_login_at
     FROM identity_providers p WHERE $1::text IS NULL OR p.id = $1 ORDER BY p.id`,
)

const settingsOf = (p: string) =>
  jsonOf(p, [
    'name',
    'issuer',
    'client_id',
    'auth_method',
    'public_jwk',
    'claim',
    'matches',
    'firms',
    'creates_firm',
    'creates_role',
    'scope',
    'acr_values',
  ])

/** SQL: an audit row about the provider `p` in `from`. */
const record = (event: AuditEvent, origin: string, from: string, details: Record<string, string>) =>
  auditRow(event, { origin, from, target: { kind: 'provider', id: 'p.id' }, details })

/**
 * Stores the provider, unless a column of the result gives a reason against it.
 *
 * $1 id, $2 name, $3 issuer, $4 client_id, $5 auth method, $6 sealed credential, $7 public JWK or null, $8 claim, $9 matches,
 * $10 firms, $11 firm of created users or null, $12 role of created users or null, $13 scope, $14 acr_values or null,
 * $15 domains, folded, $16 origin
 */
export const insertProvider = statement(
  'insert_provider',
  Type.Object({
    id_taken: Type.Boolean(),
    /** The id of the provider that has the issuer. */
    issuer_of: orNull(Type.String()),
    taken_domains: Type.Array(Type.String()),
    unknown_firms: Type.Array(Type.String()),
    role_exists: Type.Boolean(),
    created: Type.Boolean(),
  }),
  `WITH facts AS (
     SELECT EXISTS (SELECT FROM identity_providers WHERE id = $1) AS id_taken,
            (SELECT id FROM identity_providers WHERE issuer = $3) AS issuer_of,
            ARRAY(SELECT domain FROM identity_provider_domains
                   WHERE domain = ANY ($15::text[]) ORDER BY domain) AS taken_domains,
            ARRAY(SELECT firm FROM unnest($10::text[] || $11::text) AS firm
                   WHERE firm IS NOT NULL AND NOT EXISTS (SELECT FROM firms f WHERE f.id = firm)) AS unknown_firms,
            $12::text IS NULL OR EXISTS (SELECT FROM roles WHERE name = $12) AS role_exists
   ), created AS (
     INSERT INTO identity_providers (id, name, issuer, client_id, auth_method, credential, public_jwk, claim, matches, firms,
                                     creates_firm, creates_role, scope, acr_values)
     SELECT $1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9, $10, $11, $12, $13, $14
       FROM facts
      WHERE NOT id_taken AND issuer_of IS NULL AND taken_domains = '{}' AND unknown_firms = '{}' AND role_exists
         ON CONFLICT DO NOTHING
     RETURNING *
   ), recorded AS (
     ${record('provider.added', '$16', 'created p', {
       after: `${settingsOf('p')} || jsonb_build_object('domains', $15::text[])`,
     })}
   ), domains AS (
     INSERT INTO identity_provider_domains (domain, provider_id) SELECT unnest($15::text[]), id FROM created
   )
   SELECT facts.*, EXISTS (SELECT FROM created) AS created FROM facts`,
)

/** $1 id, $2 sealed credential, $3 public JWK or null, $4 origin. No row: there is no such provider. */
export const replaceCredential = statement(
  'replace_credential',
  Type.Object({ id: Type.String() }),
  `WITH changed AS (
     UPDATE identity_providers SET credential = $2, public_jwk = $3::jsonb WHERE id = $1 RETURNING id, public_jwk
   ), recorded AS (
     ${record('provider.updated', '$4', 'changed p', { credential: `'replaced'`, key: `p.public_jwk->>'kid'` })}
   )
   SELECT id FROM changed`,
)

/**
 * Removes a provider with its links to users, and ends the sessions that it opened. $1 id, $2 origin. No row: there is none.
 */
export const deleteProvider = statement(
  'delete_provider',
  Type.Object({
    linked_users: Type.Integer(),
    live_sessions: Type.Integer(),
    users_without_password: Type.Integer(),
  }),
  `WITH gone AS (
     DELETE FROM identity_providers WHERE id = $1 RETURNING *
   ), recorded AS (
     ${record('provider.removed', '$2', 'gone p', {
       before: settingsOf('p'),
       linked_users: '(SELECT count(*) FROM identities i WHERE i.provider_id = p.id)',
     })}
   )
   SELECT (SELECT count(*)::int FROM identities i WHERE i.provider_id = gone.id) AS linked_users,
          (SELECT count(*)::int FROM sessions s WHERE s.provider_id = gone.id AND s.expires_at > now()) AS live_sessions,
          (SELECT count(*)::int FROM identities i JOIN users u ON u.id = i.user_id JOIN firms f ON f.id = u.firm_id
            WHERE i.provider_id = gone.id AND (u.password_hash IS NULL OR NOT f.local_passwords)) AS users_without_password
     FROM gone`,
)
