import type { Step } from './article.ts'
import { type ContentsGroup, OwnHtml } from './frame.tsx'
import { Samples } from './samples.tsx'
import type { SearchResult } from './search.ts'

/** A guide: text on the left, its code on the right. */
export function GuidePage({ title, steps }: { title: string; steps: Step[] }) {
  return (
    <article>
      <div class="step">
        <div class="prose">
          <h1>{title}</h1>
        </div>
      </div>
      <GuideSteps steps={steps} />
    </article>
  )
}

export function GuideSteps({ steps }: { steps: Step[] }) {
  return (
    <>
      {steps.map(({ html, samples }) => (
        <div class="step" key={html}>
          <OwnHtml class="prose" html={html} />
          {samples.length > 0 && <Samples samples={samples} />}
        </div>
      ))}
    </>
  )
}

type IndexProps = { baseUrl: string; authUrl: string; root: string; groups: ContentsGroup[] }

export function IndexPage({ baseUrl, authUrl, root, groups }: IndexProps) {
  return (
    <>
      <h1>Documentation for partners</h1>
      <p class="lead">
        Read households and their accounts on behalf of a user who connected your application. Start with the{' '}
        <a href={`${root}/quick-start`}>quick start</a>: it leads to a first household with a few commands.
      </p>
      {groups.map(({ title, pages }) => (
        <section key={title}>
          <h2>{title}</h2>
          <ul class="cards">
            {pages.map((page) => (
              <li key={page.slug}>
                <a href={`${root}/${page.slug}`}>{page.title}</a>
                <p>{page.summary}</p>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <section>
        <h2>Addresses of this deployment</h2>
        <dl class="addresses">
          <dt>API, tokens and these pages</dt>
          <dd>
            <code>{baseUrl}</code>
          </dd>
          <dt>Login, consent and discovery</dt>
          <dd>
            <code>{authUrl}</code>
          </dd>
          <dt>Developer pages</dt>
          <dd>
            <a href={`${authUrl}/developers`}>{`${authUrl}/developers`}</a>
          </dd>
          <dt>Status of the service</dt>
          <dd>
            <a href={`${authUrl}/status`}>{`${authUrl}/status`}</a>
          </dd>
          <dt>OpenID Connect discovery</dt>
          <dd>
            <a
              href={`${authUrl}/.well-known/openid-configuration`}
            >{`${authUrl}/.well-known/openid-configuration`}</a>
          </dd>
          <dt>OpenAPI 3.1</dt>
          <dd>
            <a href={`${baseUrl}openapi.json`}>{`${baseUrl}openapi.json`}</a>
          </dd>
        </dl>
      </section>
    </>
  )
}

export function SearchPage({ query, results }: { query: string; results: SearchResult[] }) {
  if (query === '') {
    return (
      <>
        <h1>Search</h1>
        <p>Type what you look for: an error code, a parameter, or a word.</p>
      </>
    )
  }
  return (
    <>
      <h1>
        Search results for “<bdi>{query}</bdi>”
      </h1>
      {results.length === 0 && (
        <p>Nothing was found. Try fewer or shorter words, or look through the contents of the docs.</p>
      )}
      <ol class="results">
        {results.map(({ path, page, heading, excerpt }) => (
          <li key={path}>
            <a href={path}>{heading === page ? page : `${page}: ${heading}`}</a>
            <p>{excerpt}</p>
          </li>
        ))}
      </ol>
    </>
  )
}

export function FaultPage({ title, text, requestId }: { title: string; text: string; requestId: string }) {
  return (
    <>
      <h1>{title}</h1>
      <p>{text}</p>
      <p class="small">
        Reference for support: <code>{requestId}</code>
      </p>
    </>
  )
}
