import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'

/** A file whose address contains a digest of its content. Browsers may therefore cache it indefinitely. */
export type Asset = { path: string; type: string; content: string }

export type Assets = {
  sheets: Asset[]
  /** The script that shows times in the reader's time zone. */
  localTimes: Asset
  /** The scripts that let a form use a passkey. */
  passkeys: Asset[]
}

export function loadAssets(): Assets {
  const pico = createRequire(import.meta.url).resolve('@picocss/pico/css/pico.min.css')
  return {
    sheets: [load(pico), loadAsset('latchkey.css')],
    localTimes: loadAsset('local-times.js'),
    passkeys: [load(webAuthnBundle()), loadAsset('passkeys.js')],
  }
}

/** The library's script for browsers, which its package does not export. */
function webAuthnBundle(): string {
  const main = createRequire(import.meta.url).resolve('@simplewebauthn/browser')
  return join(dirname(main), '../dist/bundle/index.umd.min.js')
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

export function assetRoutes(app: FastifyInstance, { sheets, localTimes, passkeys }: Assets): void {
  for (const asset of [...sheets, localTimes, ...passkeys]) assetRoute(app, asset)
}

export function assetRoute(app: FastifyInstance, { path, type, content }: Asset): void {
  app.get(path, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=31536000, immutable').type(type).send(content),
  )
}
