import type { Adapter, AdapterPayload } from 'oidc-provider'
import type pg from 'pg'

/**
 * One table for all models, as the provider's documentation describes it. Only looked-up columns have an index. There is no
 * purge of expired rows, which favours the peer.
 */
export const createTable = `
  CREATE SCHEMA IF NOT EXISTS peer;
  CREATE TABLE IF NOT EXISTS peer.payloads (
    model       text COLLATE "C" NOT NULL,
    id          text COLLATE "C" NOT NULL,
    payload     jsonb NOT NULL,
    grant_id    text COLLATE "C",
    uid         text COLLATE "C",
    user_code   text COLLATE "C",
    expires_at  timestamptz,
    consumed_at timestamptz,
    PRIMARY KEY (id, model)
  );
  CREATE INDEX IF NOT EXISTS payloads_of_grant ON peer.payloads (grant_id) WHERE grant_id IS NOT NULL;
  CREATE INDEX IF NOT EXISTS payloads_by_uid ON peer.payloads (uid) WHERE uid IS NOT NULL;
  CREATE INDEX IF NOT EXISTS payloads_by_user_code ON peer.payloads (user_code) WHERE user_code IS NOT NULL`

const found = `SELECT payload, extract(epoch FROM consumed_at)::integer AS consumed FROM peer.payloads WHERE model = $1`

type Found = { payload: AdapterPayload; consumed: number | null }

/** Each call is a separate transaction and returns after it is on disk. */
export class PostgresAdapter implements Adapter {
  readonly #pool: pg.Pool
  readonly #model: string

  constructor(pool: pg.Pool, model: string) {
    this.#pool = pool
    this.#model = model
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    await this.#query(
      'upsert',
      `INSERT INTO peer.payloads (model, id, payload, grant_id, uid, user_code, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
       ON CONFLICT (id, model) DO UPDATE
          SET payload = excluded.payload, grant_id = excluded.grant_id, uid = excluded.uid,
              user_code = excluded.user_code, expires_at = excluded.expires_at`,
      [id, payload, payload.grantId, payload.uid, payload.userCode, expiresIn],
    )
  }

  find(id: string): Promise<AdapterPayload | undefined> {
    return this.#find('find', `${found} AND id = $2`, id)
  }

  findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#find('find_by_uid', `${found} AND uid = $2`, uid)
  }

  findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#find('find_by_user_code', `${found} AND user_code = $2`, userCode)
  }

  async consume(id: string): Promise<void> {
    await this.#query(
      'consume',
      'UPDATE peer.payloads SET consumed_at = now() WHERE model = $1 AND id = $2',
      [id],
    )
  }

  async destroy(id: string): Promise<void> {
    await this.#query('destroy', 'DELETE FROM peer.payloads WHERE model = $1 AND id = $2', [id])
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#query('revoke', 'DELETE FROM peer.payloads WHERE model = $1 AND grant_id = $2', [grantId])
  }

  async #find(name: string, text: string, key: string): Promise<AdapterPayload | undefined> {
    const [row] = (await this.#query<Found>(name, text, [key])).rows
    return row && { ...row.payload, ...(row.consumed !== null && { consumed: row.consumed }) }
  }

  #query<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]) {
    return this.#pool.query<Row>({ name: `peer_${name}`, text, values: [this.#model, ...values] })
  }
}
