import type { FactsOf, MailKind } from './mails.ts'

/** Days for which the server tries to send a notice. */
const noticeLife = '2 days'

/** SQL: the language of the mails to the user `u`. `otherwise` is that of users who have never logged in. */
export function rememberedLanguage(otherwise = `'en'`): string {
  return `coalesce((SELECT l.language FROM user_languages l WHERE l.user_id = u.id), ${otherwise})`
}

/**
 * SQL that writes a mail to the outbox, for a CTE of the statement that makes the change: either both are stored or
 * neither. The caller adds to `from` a condition that is false if the server sends no mails.
 *
 * @param row.from FROM and WHERE. Its `u` is the row of `users` who gets the mail
 * @param row.facts SQL expressions. A parameter needs its type: `$3::text`
 * @param row.language SQL expression; by default the language that the user last logged in with
 * @param row.life an interval after which the mail is no longer sent
 */
export function mailRow<Kind extends MailKind>(
  mail: Kind,
  row: { from: string; facts: Record<keyof FactsOf<Kind>, string>; language?: string; life?: string },
): string {
  const facts = Object.entries(row.facts).flatMap(([name, sql]) => [`'${name}'`, sql])
  return `INSERT INTO outbox (kind, payload, expires_at)
     SELECT 'mail',
            jsonb_build_object('mail', '${mail}', 'to', u.email, 'name', u.name,
                               'language', ${row.language ?? rememberedLanguage()},
                               'facts', jsonb_build_object(${facts.join(', ')})),
            now() + interval '${row.life ?? noticeLife}'
       FROM ${row.from}`
}
