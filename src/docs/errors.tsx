import type { ComponentChildren } from 'preact'
import { type ErrorPage, errorPages } from '../errors/catalogue.ts'
import type { Heading, Section, Step } from './article.ts'
import { GuideSteps } from './pages.tsx'

const senders: Record<ErrorPage['sentBy'][number], string> = {
  api: 'the API and userinfo',
  oauth2: 'the token, revocation and introspection endpoints',
  redirect: 'the redirect to your redirect_uri',
  page: 'a page that the user sees',
  management: 'the developer API, and the admin API of operators',
}

const kinds: Record<ErrorPage['kind'], { heading: string; where: string }> = {
  problem: {
    heading: 'Errors of the API',
    where: 'In the field code of application/problem+json (RFC 9457).',
  },
  oauth: {
    heading: 'Errors of the authorization server',
    where:
      'In the field error of the JSON answer (RFC 6749), or in the parameter error of the redirect to your application.',
  },
  page: { heading: 'Error pages', where: 'Users see them in the browser. They have no code.' },
  management: {
    heading: 'Errors of the developer API',
    where:
      'Also of the admin API, which only operators use. In the field code of application/problem+json (RFC 9457).',
  },
}

/** The guide about handling errors, if there is one, and a list of all codes. */
export function ErrorsPage({ root, steps = [] }: { root: string; steps?: Step[] | undefined }) {
  return (
    <article>
      <div class="step">
        <div class="prose">
          <h1>Errors</h1>
        </div>
      </div>
      <GuideSteps steps={steps} />
      {Object.entries(kinds).map(([kind, { heading, where }]) => (
        <section class="prose" key={kind}>
          <h2 id={kind}>
            <a href={`#${kind}`}>{heading}</a>
          </h2>
          <p>
            <Codes text={where} />
          </p>
          <table class="codes">
            <thead>
              <tr>
                <th scope="col">Code</th>
                <th scope="col">Meaning</th>
              </tr>
            </thead>
            <tbody>
              {errorPages
                .filter((page) => page.kind === kind)
                .map(({ code, status, meaning }) => (
                  <tr key={code}>
                    <td data-label="Code">
                      <div>
                        <a href={`${root}/errors/${code}`}>
                          <code>{code}</code>
                        </a>
                        <span class="type">{statusText(status)}</span>
                      </div>
                    </td>
                    <td data-label="Meaning">
                      <div>
                        <Codes text={meaning} />
                      </div>
                    </td>
                  </tr>
                ))}
            </tbody>
          </table>
        </section>
      ))}
    </article>
  )
}

export const errorKindHeadings: Heading[] = Object.entries(kinds).map(([id, { heading }]) => ({
  id,
  text: heading,
}))

/** One code: what it means, whether to retry, and each cause with its remedy. */
export function ErrorCodePage({ root, page }: { root: string; page: ErrorPage }) {
  const { code, status, title, kind, sentBy, meaning, retry, causes } = page
  return (
    <article class="prose">
      <p class="small">
        <a href={`${root}/errors`}>Errors</a> · {kinds[kind].heading}
      </p>
      <h1>{kind === 'page' ? title : <code>{code}</code>}</h1>
      <p>
        <Codes text={meaning} />
      </p>
      <dl class="facts">
        {kind !== 'page' && <Fact term="Title">{title}</Fact>}
        <Fact term="Status">{statusText(status)}</Fact>
        <Fact term="Sent by">
          <Codes text={sentBy.map((sender) => senders[sender]).join('; ')} />
        </Fact>
        <Fact term="Send it again?">
          <Codes text={retry} />
        </Fact>
      </dl>
      {causes.map(({ anchor, message, cause, remedy }) => (
        <section class="cause" key={anchor}>
          <h2 id={anchor}>
            <a href={`#${anchor}`}>{inWords(anchor)}</a>
          </h2>
          {messageOf(message) && (
            <p class="message">
              <span class="hidden">The answer says: </span>
              {messageOf(message)}
            </p>
          )}
          <p>
            <strong>Cause.</strong> <Codes text={cause} />
          </p>
          <p>
            <strong>What to do.</strong> <Codes text={remedy} />
          </p>
        </section>
      ))}
    </article>
  )
}

function Fact({ term, children }: { term: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  )
}

export function errorHeadings({ causes }: ErrorPage): Heading[] {
  return causes.map(({ anchor }) => ({ id: anchor, text: inWords(anchor) }))
}

/** What the search finds: the code itself, and each of its causes. */
export function errorSections({ code, title, meaning, causes }: ErrorPage): Section[] {
  return [
    { id: '', text: code, content: `${title}. ${meaning}` },
    ...causes.map(({ anchor, message, cause, remedy }) => ({
      id: anchor,
      text: inWords(anchor),
      content: `${messageOf(message)} ${cause} ${remedy}`.trim(),
    })),
  ]
}

/** The text of the answer. Empty if the whole text differs between requests. */
function messageOf(message = ''): string {
  return message === '{detail}' ? '' : message.replaceAll('{detail}', '…')
}

/** `refresh-token-reused` becomes `Refresh token reused`. */
function inWords(anchor: string): string {
  const words = anchor.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function statusText(status: number): string {
  return status === 303 ? 'Redirect to your application' : `HTTP ${status}`
}

/** The texts of the catalogue are plain. Names such as `client_id` are shown as code. */
function Codes({ text }: { text: string }) {
  const parts = text.split(/(\w+=\w+|[a-zA-Z0-9]*_\w*|[a-z0-9]+\/[a-z][\w/+]*)/)
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))}</>
}
