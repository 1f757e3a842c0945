import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'

/** A file whose address contains a digest of its content. Browsers may therefore cache it indefinitely. */
export type Asset = { path: string; type: string; content: string }

export type Assets = {
  sheets: Asset[]
  /** The script that shows times in the reader's time zone. */
  localTimes: Asset
}

export function loadAssets(): Assets {
  const pico = createRequire(import.meta.url).resolve('@picocss/pico/css/pico.min.css')
  return { sheets: [load(pico), loadAsset('latchkey.css')], localTimes: loadAsset('local-times.js') }
}

/** Loads a file of the folder `assets/`. */
export function loadAsset(name: `${string}.${'css' | 'js'}`): Asset {
  return load(fileURLToPath(new URL(`../../assets/${name}`, import.meta.url)))
}

function load(file: string): Asset {
  const content = readFileSync(file, 'utf8')
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 12)
  const isScript = file.endsWith('.js')
  const type = `text/${isScript ? 'javascript' : 'css'}; charset=utf-8`
  return { path: `/assets/${digest}.${isScript ? 'js' : 'css'}`, type, content }
}

export function assetRoutes(app: FastifyInstance, { sheets, localTimes }: Assets): void {
  for (const asset of [...sheets, localTimes]) assetRoute(app, asset)
}

export function assetRoute(app: FastifyInstance, { path, type, content }: Asset): void {
  app.get(path, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=31536000, immutable').type(type).send(content),
  )
}
