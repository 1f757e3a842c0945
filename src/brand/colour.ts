/** A colour in linear light: red, green and blue from 0 to 1. */
type Linear = [number, number, number]

/** `#rrggbb` */
export const hexColour = /^#[0-9a-f]{6}$/i

/** The contrast of two colours `#rrggbb`, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/**
 * The nearest colour that has at least this contrast with `ground`: darker on a light ground, lighter on a dark ground. Its
 * hue stays the same.
 */
export function withContrast(colour: string, ground: string, ratio: number): string {
  const darker = luminance(ground) > 0.5
  // A darker colour keeps the proportions of its channels. A lighter one is mixed with white.
  const move = (share: number) =>
    hex(linear(colour).map((value) => (darker ? value * (1 - share) : value + (1 - value) * share)))
  let [from, to] = [0, 1]
  if (contrast(colour, ground) >= ratio) return colour.toLowerCase()
  // Each step halves the interval, to less than a step of a channel.
  for (let step = 0; step < 16; step++) {
    const middle = (from + to) / 2
    if (contrast(move(middle), ground) >= ratio) to = middle
    else from = middle
  }
  return move(to)
}

/** Mixes a colour with another. `share` is the part of the other colour, from 0 to 1. */
export function mixed(colour: string, other: string, share: number): string {
  const added = linear(other)
  return hex(linear(colour).map((value, index) => value * (1 - share) + (added[index] ?? 0) * share))
}

function luminance(colour: string): number {
  const [red, green, blue] = linear(colour)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function linear(colour: string): Linear {
  const channel = (start: number) => {
    const value = Number.parseInt(colour.slice(start, start + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [channel(1), channel(3), channel(5)]
}

function hex(channels: number[]): string {
  const digits = channels.map((value) => {
    const encoded = value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055
    return Math.round(encoded * 255)
      .toString(16)
      .padStart(2, '0')
  })
  return `#${digits.join('')}`
}
