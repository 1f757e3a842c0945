import Type, { Compile, type Static, type TSchema } from '../typebox.ts'

/** An instant as PostgreSQL writes a `timestamptz` in JSON. */
const At = Type.String()

/** Without line breaks, spaces and angle brackets, which would end the address in a command or header of SMTP. */
const Address = Type.String({
  pattern: '^[^\\s@<>\\x00-\\x1f\\x7f-\\x9f]+@[^\\s@<>\\x00-\\x1f\\x7f-\\x9f]+$',
})

/** What a row of the outbox says about a mail. The text is made when the mail is sent. */
function mailOf<Kind extends string, Facts extends TSchema>(mail: Kind, facts: Facts) {
  return Type.Object({
    mail: Type.Literal(mail),
    to: Address,
    name: Type.String(),
    language: Type.String(),
    facts,
  })
}

/** Everything that users get mails about. `link` is sealed: the database must not contain a link that works. */
const Mail = Type.Union([
  /** The user has connected an application. */
  mailOf('connected', Type.Object({ partner: Type.String(), at: At })),
  /** A user's consent for an application expires soon. */
  mailOf('connection_ends', Type.Object({ partner: Type.String(), until: At })),
  mailOf(
    'password_changed',
    Type.Object({
      by: Type.Union([Type.Literal('user'), Type.Literal('operator'), Type.Literal('link')]),
      at: At,
    }),
  ),
  /** A second factor was added or removed. `reset`: the operator has removed all of them. */
  mailOf(
    'factors_changed',
    Type.Object({
      change: Type.Union([
        Type.Literal('passkey_added'),
        Type.Literal('passkey_removed'),
        Type.Literal('totp_added'),
        Type.Literal('totp_removed'),
        Type.Literal('reset'),
      ]),
      at: At,
    }),
  ),
  /** A credential of an application leaked. `connection`: the application is disconnected. `access`: it goes on. */
  mailOf(
    'leaked',
    Type.Object({
      partner: Type.String(),
      ended: Type.Union([Type.Literal('access'), Type.Literal('connection')]),
      at: At,
    }),
  ),
  /** A login in a browser that the account does not know. */
  mailOf(
    'new_browser',
    Type.Object({
      browser: Type.Union([Type.String(), Type.Null()]),
      system: Type.Union([Type.String(), Type.Null()]),
      at: At,
    }),
  ),
  /** Someone has requested a link to set a new password. */
  mailOf('password_reset', Type.Object({ link: Type.String() })),
  /** The same, for a user who has no password here and logs in through an identity provider. */
  mailOf('no_password', Type.Object({})),
  /** The operator lets the user set a password. */
  mailOf('invitation', Type.Object({ link: Type.String(), until: At })),
  /** Someone was made a developer of a partner's application, and has no account that is set up. */
  mailOf('developer_invited', Type.Object({ partner: Type.String(), link: Type.String(), until: At })),
  /** The same, for someone with an account. */
  mailOf('developer_added', Type.Object({ partner: Type.String() })),
  /** To developers: nothing could be delivered to an address for days, or it answered that it is gone. */
  mailOf(
    'webhook_disabled',
    Type.Object({
      partner: Type.String(),
      client_id: Type.String(),
      host: Type.String(),
      cause: Type.Union([Type.Literal('failing'), Type.Literal('gone')]),
    }),
  ),
])
export type Mail = Static<typeof Mail>
export type MailKind = Mail['mail']
export type FactsOf<Kind extends MailKind> = Extract<Mail, { mail: Kind }>['facts']

export const mails = Compile(Mail)
