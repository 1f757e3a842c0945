import { logoRules, readImage } from '../brand/image.ts'
import { linkFault } from '../brand/link.ts'
import { checkVisible } from '../visible-text.ts'
import { redirectUriFault } from './redirect-uri.ts'

/** What users see of a partner, in addition to its name. Undefined: not set, or not changed. Null: removed. */
export type ProfileChanges = {
  /** The URL of its public web site. */
  site?: string | null | undefined
  /** PNG or WebP. */
  logo?: Buffer | null | undefined
  privacyUrl?: string | null | undefined
  description?: string | null | undefined
}

/** The values for the statements. Null: not set, or not changed. Empty: removed. */
type ProfileColumns = [
  site: string | null,
  logo: string | null,
  image: Buffer | null,
  privacyUrl: string | null,
  text: string | null,
]

export function readProfile({ site, logo, privacyUrl, description }: ProfileChanges): {
  columns: ProfileColumns
  faults: string[]
} {
  const image = logo ? readImage(logo, logoRules) : undefined
  const privacyFault = privacyUrl ? linkFault(privacyUrl) : undefined
  const text = description?.trim()
  const siteFault = site ? redirectUriFault(site) : undefined
  const faults = [
    ...(siteFault === undefined ? [] : [`Site ${JSON.stringify(site)} ${siteFault}.`]),
    ...(typeof image === 'string' ? [`The logo ${image}.`] : []),
    ...(privacyFault === undefined ? [] : [`The privacy URL ${privacyFault}.`]),
    ...(text === undefined ? [] : descriptionFaults(text)),
  ]
  const [file, content] = typeof image === 'object' ? [image.file, image.content] : [null, null]
  return {
    columns: [
      site === null ? '' : (site ?? null),
      logo === null ? '' : file,
      content,
      privacyUrl === null ? '' : (privacyUrl ?? null),
      description === null ? '' : (text ?? null),
    ],
    faults,
  }
}

function descriptionFaults(text: string): string[] {
  if (!/^[^\p{Cc}]{1,200}$/u.test(text)) {
    return ['The description must have 1 to 200 characters on one line, without control characters.']
  }
  const fault = checkVisible(text)
  return fault ? [`The description ${fault}.`] : []
}
