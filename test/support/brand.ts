import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Brand } from '../../src/brand/brand.ts'
import { readBrand } from '../../src/brand/read-brand.ts'
import { png } from './pictures.ts'

export const northbridge = {
  name: 'Northbridge',
  accent: '#0b5c4a',
  accent_dark: '#7fd1ba',
  logo: 'logo.png',
  logo_dark: 'logo-dark.png',
  favicon: 'favicon.png',
  radius: 6,
  support_url: 'mailto:help@northbridge.example',
  privacy_url: 'https://northbridge.example/privacy',
  terms_url: 'https://northbridge.example/terms',
}

/** A directory with a complete brand. `changes` replace its settings; undefined removes one. `files` are added. */
export function brandDirectory(
  changes: Record<string, unknown> = {},
  files: Record<string, Buffer | string> = {},
): string {
  const directory = mkdtempSync(join(inject('scratch'), 'brand-'))
  const all = {
    'brand.json': JSON.stringify({ ...northbridge, ...changes }),
    'logo.png': png(96, 96),
    'logo-dark.png': png(96, 96, [127, 209, 186]),
    'favicon.png': png(64),
    ...files,
  }
  for (const [name, content] of Object.entries(all)) writeFileSync(join(directory, name), content)
  return directory
}

/** The faults of a brand directory, without its path. */
export function brandFaults(directory: string): string[] {
  const faults: string[] = []
  readBrand(directory, faults)
  return faults.map((fault) => fault.replace(`LATCHKEY_BRAND_DIR: ${directory}/`, ''))
}

export function sampleBrand(): Brand {
  const faults: string[] = []
  const brand = readBrand(brandDirectory(), faults)
  if (!brand) throw new Error(faults.join('\n'))
  return brand
}
