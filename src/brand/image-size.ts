/** In pixels. */
type Size = { width: number; height: number }

/** What the structure of a picture says. Undefined: neither PNG nor WebP. */
export type PictureSize = Size | 'damaged' | 'animated' | undefined

/**
 * Reads the size of a PNG or WebP picture, recognized by its content. The parts of the file must fill it exactly, so that
 * nothing else is hidden behind the picture. The picture itself is not decoded.
 */
export function pictureSize(content: Buffer): PictureSize {
  try {
    if (content.subarray(0, 8).equals(pngSignature)) return pngSize(content)
    return content.toString('latin1', 0, 4) === 'RIFF' && content.toString('latin1', 8, 12) === 'WEBP'
      ? webpSize(content)
      : undefined
  } catch (error) {
    if (error instanceof RangeError) return 'damaged' // a part ends behind the end of the file
    throw error
  }
}

const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** The parts of a file by name, with the place of their content. */
type Part = { name: string; at: number }

/** PNG specification section 5: length, type, data, checksum. */
function pngSize(content: Buffer): PictureSize {
  const parts: Part[] = []
  let at = 8
  while (at < content.length) {
    parts.push({ name: content.toString('latin1', at + 4, at + 8), at: at + 8 })
    at += 12 + content.readUInt32BE(at)
  }
  const [first] = parts
  const end = parts.findIndex(({ name }) => name === 'IEND')
  if (first?.name !== 'IHDR' || end !== parts.length - 1 || at !== content.length) return 'damaged'
  if (!parts.some(({ name }) => name === 'IDAT')) return 'damaged'
  if (parts.some(({ name }) => name === 'acTL')) return 'animated'
  return { width: content.readUInt32BE(first.at), height: content.readUInt32BE(first.at + 4) }
}

/** RFC 9649 section 2: type, length, data, padded to an even length. */
function webpSize(content: Buffer): PictureSize {
  const parts: Part[] = []
  let at = 12
  while (at < content.length) {
    parts.push({ name: content.toString('latin1', at, at + 4), at: at + 8 })
    const length = content.readUInt32LE(at + 4)
    at += 8 + length + (length % 2)
  }
  const [first] = parts
  if (!first || at !== content.length || content.readUInt32LE(4) + 8 !== at) return 'damaged'
  if (!parts.some(({ name }) => name === 'VP8 ' || name === 'VP8L' || name === 'ANIM')) return 'damaged'
  switch (first.name) {
    case 'VP8 ':
      return {
        width: content.readUInt16LE(first.at + 6) & 0x3fff,
        height: content.readUInt16LE(first.at + 8) & 0x3fff,
      }
    case 'VP8L': {
      const bits = content.readUInt32LE(first.at + 1)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      if (content.readUInt8(first.at) & 0x02) return 'animated'
      return {
        width: content.readUIntLE(first.at + 4, 3) + 1,
        height: content.readUIntLE(first.at + 7, 3) + 1,
      }
    default:
      return 'damaged'
  }
}
