import type { Explanation } from '../explain.ts'
import { ConnectButton, Layout } from './layout.tsx'

export function ErrorPage({ title, detail, requestId, connected }: Explanation & { connected: boolean }) {
  return (
    <Layout title={title} connected={connected}>
      <article>
        <h1>{title}</h1>
        <p>
          <bdi>{detail}</bdi>
        </p>
        {requestId !== undefined && (
          <p>
            <small>
              Request id: <code>{requestId}</code>
            </small>
          </p>
        )}
        {connected ? <a href="/households">Back to the households</a> : <ConnectButton />}
      </article>
    </Layout>
  )
}
