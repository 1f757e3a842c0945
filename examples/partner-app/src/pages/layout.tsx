import type { FastifyReply } from 'fastify'
import type { ComponentChildren, VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'

interface LayoutProps {
  title: string
  connected: boolean
  children: ComponentChildren
}

export function Layout({ title, connected, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Sample Partner App`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/pico.min.css" />
        <link rel="stylesheet" href="/app.css" />
      </head>
      <body>
        <header class="container">
          <nav>
            <ul>
              <li>
                <a href="/" class="contrast">
                  <strong>Sample Partner App</strong>
                </a>
              </li>
            </ul>
            {connected && (
              <ul>
                <li>
                  <a href="/households">Households</a>
                </li>
              </ul>
            )}
          </nav>
        </header>
        <main class="container">{children}</main>
        {connected && <Ending />}
      </body>
    </html>
  )
}

/** What the script shows instead of the page when the connection ends. */
function Ending() {
  return (
    <>
      <template id="ending">
        <div role="alert">
          <hgroup>
            <h1>Disconnected</h1>
            <p>This app can no longer read your households and accounts.</p>
          </hgroup>
          <ConnectButton />
        </div>
      </template>
      <script src="/live.js" defer />
    </>
  )
}

export function ConnectButton() {
  return (
    <form method="post" action="/connect">
      <button type="submit">Connect</button>
    </form>
  )
}

export function sendPage(reply: FastifyReply, page: VNode) {
  return reply.type('text/html; charset=utf-8').send(`<!doctype html>${renderToString(page)}`)
}
