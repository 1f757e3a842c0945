import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'

/** A file whose address contains a digest of its content. Browsers may therefore cache it indefinitely. */
type Asset = { path: string; type: string; content: string }

export type Assets = {
  sheets: Asset[]
  /** The script that shows times in the reader's time zone. */
  localTimes: Asset
}

export function loadAssets(): Assets {
  const pico = createRequire(import.meta.url).resolve('@picocss/pico/css/pico.min.css')
  const own = (name: string) => fileURLToPath(new URL(`../../assets/${name}`, import.meta.url))
  return {
    sheets: [load(pico, 'css', 'text/css'), load(own('latchkey.css'), 'css', 'text/css')],
    localTimes: load(own('local-times.js'), 'js', 'text/javascript'),
  }
}

function load(file: string, extension: string, type: string): Asset {
  const content = readFileSync(file, 'utf8')
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 12)
  return { path: `/assets/${digest}.${extension}`, type: `${type}; charset=utf-8`, content }
}

export function assetRoutes(app: FastifyInstance, { sheets, localTimes }: Assets): void {
  for (const { path, type, content } of [...sheets, localTimes]) {
    app.get(path, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=31536000, immutable').type(type).send(content),
    )
  }
}
