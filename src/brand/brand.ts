import type { Image } from './image.ts'

/** What users see of the platform: its name, logo, colour and links. */
export type Brand = {
  name: string
  logo: Image
  /** Shown in dark mode, if the logo differs there. */
  logoDark?: Image
  favicon: Image
  accent: Accent
  /** The radius of controls in pixels. That of cards is 2 more. */
  radius: number
  supportUrl?: string
  privacyUrl?: string
  termsUrl?: string
}

/** The ground of the primary button, `#rrggbb`. Its text has the colour of the page's ground. */
type Accent = { light: string; dark: string }

/** The colours that the accent is compared with: those of assets/tokens.css. */
export const grounds = {
  /** Its text is white. As text, it is compared with the darkest ground of light pages. */
  light: { onAccent: '#ffffff', ground: '#eef0f3', farther: '#000000' },
  dark: { onAccent: '#0f1115', ground: '#20242d', farther: '#ffffff' },
} as const

/** The lowest contrast of text with the accent, and of the accent as text (WCAG 2.2, 1.4.3 and 1.4.6). */
export const accentContrast = 4.5
export const textContrast = 7

/** A logo that is at least twice as wide as high contains the name. */
export function hasWordmark({ logo }: Brand): boolean {
  return logo.width >= 2 * logo.height
}
