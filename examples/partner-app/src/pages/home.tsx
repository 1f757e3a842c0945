import { ConnectButton, Layout } from './layout.tsx'

export function HomePage({ connected }: { connected: boolean }) {
  return (
    <Layout title="Home" connected={connected}>
      {connected ? <Connected /> : <Invitation />}
    </Layout>
  )
}

function Invitation() {
  return (
    <article>
      <hgroup>
        <h1>See your households here</h1>
        <p>Connect this app to the platform where you keep them.</p>
      </hgroup>
      <p>
        You log in on the platform. This app does not see your password. Until you disconnect, it can read the
        households and accounts that you can see.
      </p>
      <ConnectButton />
    </article>
  )
}

function Connected() {
  return (
    <article>
      <hgroup>
        <h1>You are connected</h1>
        <p>This app can read the households and accounts that you can see.</p>
      </hgroup>
      <p>
        <a href="/households">See your households</a>
      </p>
      <form method="post" action="/disconnect">
        <button type="submit" class="secondary outline">
          Disconnect
        </button>
      </form>
    </article>
  )
}
