import { type Brand, grounds, textContrast } from './brand.ts'
import { mixed, withContrast } from './colour.ts'

/** The style sheet of a brand: the tokens that assets/tokens.css leaves to it. */
export function brandSheet({ accent, radius }: Brand): string {
  return (
    `:root{--radius:${radius}px;${tokens(accent.light, 'light')}}` +
    `@media (prefers-color-scheme:dark){:root{${tokens(accent.dark, 'dark')}}}`
  )
}

function tokens(accent: string, mode: keyof typeof grounds): string {
  const { ground, farther } = grounds[mode]
  const hover = mixed(accent, farther, 0.2)
  return `--accent:${accent};--accent-hover:${hover};--accent-text:${withContrast(accent, ground, textContrast)}`
}
