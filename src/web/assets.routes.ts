import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { Brand } from '../brand/brand.ts'
import { brandSheet } from '../brand/brand-sheet.ts'
import type { Image } from '../brand/image.ts'

/** A file whose address contains a digest of its content. Browsers may therefore cache it indefinitely. */
export type Asset = { path: string; type: string; content: string | Buffer }

export type Assets = {
  /** The only style sheet of the pages. */
  sheet: Asset
  /** The script that shows times in the reader's time zone. */
  localTimes: Asset
  /** The scripts that let a form use a passkey. */
  passkeys: Asset[]
  /** The pictures of the brand. */
  images: Asset[]
  /** Browsers request it for answers that are not pages. */
  favicon: Asset
}

/** In this order. Later files may refine earlier ones. */
const sheets = ['tokens.css', 'latchkey.css', 'parts.css', 'sharing.css', 'status.css']

export function loadAssets(brand: Brand): Assets {
  const { logo, logoDark, favicon } = brand
  const images = new Map([logo, favicon, ...(logoDark ? [logoDark] : [])].map((image) => [image.file, image]))
  return {
    sheet: loadSheet(brand, ...sheets),
    localTimes: loadScript('local-times.js'),
    passkeys: [script(readFileSync(webAuthnBundle(), 'utf8')), loadScript('passkeys.js')],
    images: [...images.values()].map((image) => ({ ...image, path: imagePath(image) })),
    favicon: { ...favicon, path: '/favicon.ico' },
  }
}

/** The files of the folder `assets/` as one style sheet, with the colours of the brand. */
export function loadSheet(brand: Brand, ...names: string[]): Asset {
  const content = [...names.map(read), brandSheet(brand)].join('\n')
  return { path: `/assets/${digest(content)}.css`, type: 'text/css; charset=utf-8', content }
}

/** A script of the folder `assets/`. */
export function loadScript(name: string): Asset {
  return script(read(name))
}

function script(content: string): Asset {
  return { path: `/assets/${digest(content)}.js`, type: 'text/javascript; charset=utf-8', content }
}

/** The library's script for browsers, which its package does not export. */
function webAuthnBundle(): string {
  const main = createRequire(import.meta.url).resolve('@simplewebauthn/browser')
  return join(dirname(main), '../dist/bundle/index.umd.min.js')
}

function read(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../assets/${name}`, import.meta.url)), 'utf8')
}

function digest(content: string): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 12)
}

export function imagePath({ file }: Pick<Image, 'file'>): string {
  return `/assets/${file}`
}

export function assetRoutes(
  app: FastifyInstance,
  { sheet, localTimes, passkeys, images, favicon }: Assets,
): void {
  for (const asset of [sheet, localTimes, ...passkeys, ...images]) assetRoute(app, asset)
  app.get(favicon.path, (_request, reply) =>
    reply
      .headers({ ...assetHeaders, 'cache-control': 'public, max-age=3600' })
      .type(favicon.type)
      .send(favicon.content),
  )
}

export function assetRoute(app: FastifyInstance, { path, type, content }: Asset): void {
  app.get(path, (_request, reply) => reply.headers(assetHeaders).type(type).send(content))
}

/** For content that never changes at its address. A picture that is opened by itself is a document, and may load nothing. */
export const assetHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'",
}
