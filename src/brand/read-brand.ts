import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import Type, { Compile, type Static } from '../typebox.ts'
import { checkVisible } from '../visible-text.ts'
import { accentContrast, type Brand, grounds } from './brand.ts'
import { contrast, hexColour, withContrast } from './colour.ts'
import { type Image, type ImageRules, imageFile, logoRules, readImage } from './image.ts'
import { linkFault } from './link.ts'

/** The content of `brand.json`. Pictures are names of files in the same directory. docs/brand.md explains each setting. */
const BrandFile = Type.Object(
  {
    name: Type.String(),
    accent: Type.String(),
    accent_dark: Type.Optional(Type.String()),
    logo: Type.String(),
    logo_dark: Type.Optional(Type.String()),
    favicon: Type.Optional(Type.String()),
    radius: Type.Optional(Type.Integer({ minimum: 0, maximum: 16 })),
    support_url: Type.Optional(Type.String()),
    privacy_url: Type.Optional(Type.String()),
    terms_url: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)
type BrandFile = Static<typeof BrandFile>
const brandFile = Compile(BrandFile)

const defaultAccent = { light: '#2348c4', dark: '#9ab7ff' }
const defaultRadius = 8

/** Browsers show it with 16 to 64 pixels, and phones on the home screen with 180. */
const faviconRules: ImageRules = { maxBytes: 64 * 1024, minSide: 32, maxSide: 512, square: true }

/** In bytes. */
const maxFileSize = 64 * 1024

/** The brand of a deployment that has none. */
export function defaultBrand(): Brand {
  const [logo, logoDark] = [ownLogo('logo.svg'), ownLogo('logo-dark.svg')]
  return { name: 'Latchkey', logo, logoDark, favicon: logo, accent: defaultAccent, radius: defaultRadius }
}

function ownLogo(name: string): Image {
  const content = readFileSync(fileURLToPath(new URL(`../../assets/${name}`, import.meta.url)))
  return { content, type: 'image/svg+xml', file: imageFile(content, 'svg'), width: 32, height: 32 }
}

/**
 * Reads a brand from its directory and adds what is wrong with it to `faults`.
 *
 * @returns undefined if there is a fault
 */
export function readBrand(directory: string, faults: string[]): Brand | undefined {
  const path = join(resolve(directory), 'brand.json')
  const file = readBrandFile(path)
  if (Array.isArray(file)) {
    faults.push(...file.map((fault) => `LATCHKEY_BRAND_DIR: ${path}: ${fault}`))
    return undefined
  }
  const found: string[] = [...nameFaults(file.name), ...linkFaults(file)]
  const accent = readAccent(file, found)
  const picture = (setting: 'logo' | 'logo_dark' | 'favicon', rules: ImageRules) => {
    const name = file[setting]
    if (name === undefined) return undefined
    const image = readPicture(directory, name, rules)
    if (typeof image === 'object') return image
    found.push(`${setting}: ${JSON.stringify(name)} ${image}`)
    return undefined
  }
  const logo = picture('logo', logoRules)
  const logoDark = picture('logo_dark', logoRules)
  const favicon = picture('favicon', faviconRules)
  faults.push(...found.map((fault) => `LATCHKEY_BRAND_DIR: ${path}: ${fault}`))
  if (found.length > 0 || !logo || !accent) return undefined
  return {
    name: file.name,
    logo,
    ...(logoDark && { logoDark }),
    favicon: favicon ?? logo,
    accent,
    radius: file.radius ?? defaultRadius,
    ...(file.support_url && { supportUrl: file.support_url }),
    ...(file.privacy_url && { privacyUrl: file.privacy_url }),
    ...(file.terms_url && { termsUrl: file.terms_url }),
  }
}

/** Returns the content of `brand.json`, or what is wrong with its form. */
function readBrandFile(path: string): BrandFile | string[] {
  let content: unknown
  try {
    content = JSON.parse(readSmallFile(path, maxFileSize).toString('utf8'))
  } catch (error) {
    return [error instanceof SyntaxError ? `is not JSON: ${error.message}` : reasonOf(error)]
  }
  if (brandFile.Check(content)) return content
  // TypeBox reports an unknown setting twice. The report about the object names all unknown settings.
  const errors = brandFile.Errors(content).filter(({ keyword }) => keyword !== 'boolean')
  return errors.map((error) => {
    if (error.keyword === 'additionalProperties') {
      const known = Object.keys(BrandFile.properties).join(', ')
      return `has unknown settings: ${error.params.additionalProperties.join(', ')}. Known are ${known}`
    }
    const setting = error.instancePath.slice(1)
    return `${setting}${setting && ': '}${error.message}`
  })
}

function nameFaults(name: string): string[] {
  if (!/^[^\p{Cc}]{1,60}$/u.test(name) || name.trim() !== name) {
    return ['name: must have 1 to 60 characters, without control characters and without space around it']
  }
  const fault = checkVisible(name)
  return fault ? [`name: ${fault}`] : []
}

function linkFaults(file: BrandFile): string[] {
  return (['support_url', 'privacy_url', 'terms_url'] as const).flatMap((setting) => {
    const address = file[setting]
    const fault = address === undefined ? undefined : linkFault(address, { mail: setting === 'support_url' })
    return fault === undefined ? [] : [`${setting}: ${fault}`]
  })
}

/** Without `accent_dark`, the accent of dark mode is `accent`, made light enough for the text on it and for links. */
function readAccent({ accent, accent_dark }: BrandFile, faults: string[]): Brand['accent'] | undefined {
  const before = faults.length
  const check = (setting: string, colour: string, mode: 'light' | 'dark') => {
    const { onAccent } = grounds[mode]
    if (!hexColour.test(colour)) {
      faults.push(`${setting}: must be a colour #rrggbb, not ${JSON.stringify(colour.slice(0, 40))}`)
      return
    }
    const ratio = contrast(colour, onAccent)
    if (ratio >= accentContrast) return
    const nearby = withContrast(colour, onAccent, accentContrast)
    faults.push(
      `${setting}: the text on ${colour} is ${onAccent}, with a contrast of ${floor(ratio)}:1. It must be at least ` +
        `${accentContrast}:1. The nearest colour is ${nearby}, with ${floor(contrast(nearby, onAccent))}:1`,
    )
  }
  check('accent', accent, 'light')
  if (accent_dark !== undefined) check('accent_dark', accent_dark, 'dark')
  if (faults.length > before) return undefined
  const dark = accent_dark ?? withContrast(accent, grounds.dark.onAccent, 7)
  return { light: accent.toLowerCase(), dark: dark.toLowerCase() }
}

/** Rounded down, so that no refused ratio is shown as 4.5. */
function floor(ratio: number): string {
  return (Math.floor(ratio * 100) / 100).toFixed(2)
}

function readPicture(directory: string, name: string, rules: ImageRules): Image | string {
  // A path would lead to files that are not part of the brand.
  if (!/^[A-Za-z0-9][\w.-]*$/.test(name)) return 'must be the name of a file in this directory'
  try {
    return readImage(readSmallFile(join(resolve(directory), name), rules.maxBytes), rules)
  } catch (error) {
    return reasonOf(error)
  }
}

class NotReadable extends Error {}

/** Checks the size first, so that a wrong file cannot fill the memory. */
function readSmallFile(path: string, maxBytes: number): Buffer {
  const stat = statSync(path)
  if (!stat.isFile()) throw new NotReadable('is not a file')
  if (stat.size > maxBytes) throw new NotReadable(`has ${stat.size} bytes; at most ${maxBytes} are allowed`)
  return readFileSync(path)
}

function reasonOf(error: unknown): string {
  if (error instanceof NotReadable) return error.message
  return `cannot be read: ${error instanceof Error && 'code' in error ? error.code : error}`
}
