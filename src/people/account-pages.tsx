import type { PasswordOwner } from '../directory/new-password.ts'
import { CodeField, TotpKey } from '../factors/parts.tsx'
import type { TotpSetup } from '../factors/totp.ts'
import { NewPasswordField } from '../sessions/new-password-field.tsx'
import type { Texts } from '../web/languages/languages.ts'
import { FormFault, HiddenFields, Moment } from '../web/parts.tsx'
import type { ListedSession } from './sessions.sql.ts'
import type { Person } from './sessions.ts'

export function AccountPage(props: {
  home: string
  person: Person
  role: string | undefined
  sessions: ListedSession[]
  isChanged: boolean
  csrf: string
}) {
  const { home, person, role, sessions, isChanged, csrf } = props
  return (
    <>
      <div class="page-head">
        <h1>Your account</h1>
      </div>
      {isChanged && (
        <p class="done" role="status">
          Your password is changed, and you are signed out everywhere else.
        </p>
      )}
      <section>
        <AccountFacts person={person} role={role} />
        {person.providerId === null ? (
          <p class="links">
            <a href={`${home}/account/password`}>Change password</a>
            <a href={`${home}/account/second-factor`}>Replace authenticator app</a>
          </p>
        ) : (
          <p class="muted">
            You signed in through <code>{person.providerId}</code>. Password and second factor are managed
            there.
          </p>
        )}
      </section>
      <Sessions home={home} sessions={sessions} csrf={csrf} />
    </>
  )
}

function AccountFacts({ person, role }: { person: Person; role: string | undefined }) {
  return (
    <dl class="facts">
      <div>
        <dt>Name</dt>
        <dd>
          <bdi>{person.name}</bdi>
        </dd>
      </div>
      <div>
        <dt>Email address</dt>
        <dd>
          <bdi>{person.email}</bdi>
        </dd>
      </div>
      {role && (
        <div>
          <dt>Role</dt>
          <dd>{role}</dd>
        </div>
      )}
    </dl>
  )
}

function Sessions({ home, sessions, csrf }: { home: string; sessions: ListedSession[]; csrf: string }) {
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <div class="panel">
        <ul class="rows">
          {sessions.map((session) => (
            <li key={session.id}>
              <div class="grow">
                <p>
                  <strong>
                    {[session.browser, session.system].filter((name) => name !== null).join(' on ') ||
                      'Unknown browser'}
                  </strong>
                  {session.current && <span class="badge">This browser</span>}
                </p>
                <p class="small">
                  {session.address && <bdi>{session.address} · </bdi>}
                  Signed in <Moment at={session.created_at} language="en" relative /> · last seen{' '}
                  <Moment at={session.last_seen_at} language="en" relative />
                </p>
              </div>
              {!session.current && (
                <form method="post" action={`${home}/account/sessions/end`}>
                  <HiddenFields csrf={csrf} />
                  <input type="hidden" name="session" value={session.id} />
                  <button type="submit" class="secondary danger">
                    Sign out
                  </button>
                </form>
              )}
            </li>
          ))}
        </ul>
      </div>
      {sessions.length > 1 && (
        <form method="post" action={`${home}/account/sessions/end`} class="after">
          <HiddenFields csrf={csrf} />
          <button type="submit" class="secondary">
            Sign out everywhere else
          </button>
        </form>
      )}
    </section>
  )
}

export function PasswordForm(props: {
  home: string
  owner: PasswordOwner
  texts: Texts
  csrf: string
  fault: string | undefined
}) {
  const { home, owner, texts, csrf, fault } = props
  return (
    <div class="narrow">
      <h1>Change password</h1>
      <p class="muted">You will be signed out everywhere else.</p>
      {fault && <FormFault id="fault">{fault}</FormFault>}
      <form method="post" action={`${home}/account/password`}>
        <HiddenFields csrf={csrf} />
        {/* Password managers need the user name. */}
        <input type="email" autocomplete="username" value={owner.email} readonly hidden />
        <NewPasswordField owner={owner} faultId={fault ? 'fault' : undefined} texts={texts} />
        <button type="submit">Change password</button>
      </form>
    </div>
  )
}

export function FactorForm(props: {
  home: string
  totp: TotpSetup
  texts: Texts
  csrf: string
  fault: string | undefined
}) {
  const { home, totp, texts, csrf, fault } = props
  return (
    <div class="narrow">
      <h1>Replace your authenticator app</h1>
      <p class="muted">The old app and the old recovery codes end, and you are signed out everywhere else.</p>
      {fault && <FormFault id="fault">{fault}</FormFault>}
      <TotpKey setup={totp} texts={texts} />
      <form method="post" action={`${home}/account/second-factor`}>
        <HiddenFields csrf={csrf} />
        <input type="hidden" name="sealed" value={totp.sealed} />
        <CodeField
          id="code"
          label="Code of the new app"
          rule="Six digits, new every 30 seconds."
          isWrong={fault !== undefined}
        />
        <button type="submit">Replace</button>
      </form>
    </div>
  )
}
