import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'

/** Style sheets under addresses that change with their content, so that browsers may keep them for ever. */
export type StyleSheet = { path: string; css: string }

export function loadStyleSheets(): StyleSheet[] {
  const pico = createRequire(import.meta.url).resolve('@picocss/pico/css/pico.min.css')
  const own = fileURLToPath(new URL('../../assets/latchkey.css', import.meta.url))
  return [pico, own].map((file) => {
    const css = readFileSync(file, 'utf8')
    const digest = createHash('sha256').update(css).digest('base64url').slice(0, 12)
    return { path: `/assets/${digest}.css`, css }
  })
}

export function assetRoutes(app: FastifyInstance, sheets: StyleSheet[]): void {
  for (const { path, css } of sheets) {
    app.get(path, (_request, reply) =>
      reply
        .header('cache-control', 'public, max-age=31536000, immutable')
        .type('text/css; charset=utf-8')
        .send(css),
    )
  }
}
