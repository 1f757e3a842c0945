import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/** The firm that `latchkey sandbox load` makes, and the application. No row: this database has no sandbox. $1 id of the firm */
export const findSandbox = statement(
  'find_sandbox',
  Type.Object({
    client_id: Type.Union([Type.String(), Type.Null()]),
    client_secret: Type.Union([Type.String(), Type.Null()]),
  }),
  'SELECT a.client_id, a.client_secret FROM firms f LEFT JOIN sandbox_application a ON true WHERE f.id = $1 LIMIT 1',
)

/** $1 client_id, $2 client_secret */
export const insertApplication = statement(
  'insert_sandbox_application',
  Type.Object({}),
  'INSERT INTO sandbox_application (client_id, client_secret) VALUES ($1, $2)',
)
