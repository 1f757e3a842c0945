import { pgTable, text } from 'drizzle-orm/pg-core'

/** The tables of Latchkey's directory that the peer's listing reads: the same rows and indexes. */
export const users = pgTable('users', {
  id: text().primaryKey(),
  firmId: text('firm_id').notNull(),
  role: text().notNull(),
  status: text().notNull(),
})

export const roles = pgTable('roles', { name: text().primaryKey(), sees: text().notNull() })

export const households = pgTable('households', {
  id: text().primaryKey(),
  firmId: text('firm_id').notNull(),
  name: text(),
})

export const accounts = pgTable('accounts', {
  id: text().primaryKey(),
  householdId: text('household_id').notNull(),
})

export const accountAccess = pgTable('account_access', {
  userId: text('user_id').notNull(),
  accountId: text('account_id').notNull(),
})
