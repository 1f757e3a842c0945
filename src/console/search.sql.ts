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
