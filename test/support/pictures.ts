import { crc32, deflateSync } from 'node:zlib'

type Colour = [red: number, green: number, blue: number]

/** A PNG of one colour. `extra`: more chunks before the image data. */
export function png(
  width: number,
  height = width,
  colour: Colour = [11, 92, 74],
  extra: Buffer[] = [],
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8) // 8 bits for each of red, green and blue
  const line = Buffer.from([0, ...Array.from({ length: width }, () => colour).flat()])
  const lines = Buffer.concat(Array.from({ length: height }, () => line))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    ...extra,
    pngChunk('IDAT', deflateSync(lines)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

export function pngChunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

/** A WebP file with this first chunk, whose content begins with these bytes. The picture itself is missing. */
export function webp(name: 'VP8 ' | 'VP8L' | 'VP8X', content: number[], extra = ''): Buffer {
  const chunk = (type: string, bytes: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32LE(bytes.length)
    return Buffer.concat([Buffer.from(type), length, bytes, Buffer.alloc(bytes.length % 2)])
  }
  const chunks = [chunk(name, Buffer.from(content)), ...(extra ? [chunk(extra, Buffer.alloc(16))] : [])]
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks])
  const length = Buffer.alloc(4)
  length.writeUInt32LE(body.length)
  return Buffer.concat([Buffer.from('RIFF'), length, body])
}

/** A WebP of 64 by 48 pixels that Chromium made. */
export const realWebp = Buffer.from(
  'UklGRkgAAABXRUJQVlA4IDwAAACQAwCdASpAADAAPtForlIoJiQioqgBABoJZwDQGAd7tTT4REAAAP7tTNo/9feUOxKjCKzrzjHbaCAAAAA=',
  'base64',
)
