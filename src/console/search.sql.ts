import { Instant, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'

// What an operator looks for by a part of a name. These statements read whole tables: run them with `database.expensive`.

const FoundPartner = Type.Object({
  client_id: Type.String(),
  name: Type.String(),
  status: Type.Union([Type.Literal('active'), Type.Literal('suspended')]),
  created_at: Instant,
})
export type FoundPartner = Static<typeof FoundPartner>

/** By name. $1 a part of the name, or the client_id, $2 rows at most */
export const findPartners = statement(
  'find_partners_by_text',
  FoundPartner,
  `SELECT client_id, name, status, created_at FROM partners
    WHERE client_id = $1 OR strpos(lower(name), lower($1)) > 0 ORDER BY name, client_id LIMIT $2`,
)

/**
 * A page of the list, in the order of the client ids. $1 a part of the name, or the client_id, $2 client_id after which the
 * page begins, or null, $3 rows, $4 status or null
 */
export const pageOfFoundPartners = statement(
  'page_of_partners_by_text',
  FoundPartner,
  `SELECT client_id, name, status, created_at FROM partners
    WHERE (client_id = $1 OR strpos(lower(name), lower($1)) > 0) AND client_id > coalesce($2::text, '')
      AND ($4::text IS NULL OR status = $4) ORDER BY client_id LIMIT $3`,
)

const FoundUser = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  firm_id: Type.String(),
  role: Type.String(),
  status: Type.Union([Type.Literal('active'), Type.Literal('disabled')]),
  disabled_by_operator_at: Type.Union([Instant, Type.Null()]),
})
export type FoundUser = Static<typeof FoundUser>

/** The user with this id first. $1 a part of the name, or the id, $2 the folded text: a part of the address, $3 rows at most */
export const findUsers = statement(
  'find_users_by_text',
  FoundUser,
  `SELECT id, email, name, firm_id, role, status, disabled_by_operator_at FROM users
    WHERE id = $1 OR strpos(email_folded, $2) > 0 OR strpos(lower(name), lower($1)) > 0
    ORDER BY id <> $1, name, id LIMIT $3`,
)

/**
 * A page of the list, in the order of the ids. $1 a part of the name, or the id, $2 the folded text: a part of the address,
 * $3 id after which the page begins, or null, $4 rows, $5 firm or null, $6 status or null
 */
export const pageOfFoundUsers = statement(
  'page_of_users_by_text',
  FoundUser,
  `SELECT id, email, name, firm_id, role, status, disabled_by_operator_at FROM users
    WHERE (id = $1 OR strpos(email_folded, $2) > 0 OR strpos(lower(name), lower($1)) > 0) AND id > coalesce($3::text, '')
      AND ($5::text IS NULL OR firm_id = $5) AND ($6::text IS NULL OR status = $6) ORDER BY id LIMIT $4`,
)

const FoundHousehold = Type.Object({
  id: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  firm_id: Type.String(),
})
export type FoundHousehold = Static<typeof FoundHousehold>

/** $1 id, $2 a part of the folded name, $3 rows at most */
export const findHouseholds = statement(
  'find_households_by_text',
  FoundHousehold,
  `SELECT id, name, firm_id FROM households WHERE id = $1 OR strpos(name_folded, $2) > 0
    ORDER BY id <> $1, name, id LIMIT $3`,
)
