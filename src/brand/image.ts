import { createHash } from 'node:crypto'
import { pictureSize } from './image-size.ts'

/** A picture that pages show. Its address contains a digest of its content. */
export type Image = {
  content: Buffer
  type: 'image/png' | 'image/webp' | 'image/svg+xml'
  /** Digest and ending, such as `Qm0zl8cJq3w8W1VxPz5k2A.png`. */
  file: string
  /** In pixels. */
  width: number
  height: number
}

/** What a picture may be. Sides in pixels. */
export type ImageRules = { maxBytes: number; minSide: number; maxSide: number; square?: boolean }

/** For the logos of the platform and of partners. Pages show them with up to 56 pixels, also on dense screens. */
export const logoRules: ImageRules = { maxBytes: 64 * 1024, minSide: 32, maxSide: 1024 }

/**
 * Checks a PNG or WebP picture by its content, not by its name. SVG is refused, because it can contain scripts.
 *
 * @returns a text that continues after the picture's name if the picture is refused
 */
export function readImage(content: Buffer, rules: ImageRules): Image | string {
  const { maxBytes, minSide, maxSide, square = false } = rules
  if (content.length > maxBytes) return `has ${content.length} bytes; at most ${maxBytes} are allowed`
  const size = pictureSize(content)
  if (size === undefined) return 'is not a PNG or WebP picture'
  if (size === 'damaged') return 'is damaged. Export it again'
  if (size === 'animated') return 'is animated. Use a picture that does not move'
  const { width, height } = size
  const shown = `has ${width} x ${height} pixels`
  if (Math.min(width, height) < minSide || Math.max(width, height) > maxSide) {
    return `${shown}; each side must have ${minSide} to ${maxSide}`
  }
  if (square && width !== height) return `${shown}; it must be square`
  const ending = content.readUInt8(0) === 0x89 ? 'png' : 'webp'
  return { content, type: `image/${ending}`, file: imageFile(content, ending), width, height }
}

export function imageFile(content: Buffer, ending: 'png' | 'webp' | 'svg'): string {
  return `${createHash('sha256').update(content).digest('base64url').slice(0, 22)}.${ending}`
}
