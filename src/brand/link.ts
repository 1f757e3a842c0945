/**
 * Returns why a page must not link to this address, or undefined. `https:` only, and with `mail` also `mailto:`. The text
 * continues after the name of the setting.
 */
export function linkFault(address: string, { mail = false } = {}): string | undefined {
  const kinds = mail ? 'an https or mailto address' : 'an https address'
  if (address.length > 1000) return 'is longer than 1000 characters'
  if (!/^[\x21-\x7e]+$/.test(address)) {
    return 'must have only visible ASCII characters. Percent-encode the others'
  }
  if (!URL.canParse(address)) return `must be ${kinds}`
  const url = new URL(address)
  if (mail && url.protocol === 'mailto:') {
    return /^[^\s@/?]+@[^\s@/?]+(\?|$)/.test(url.href.slice('mailto:'.length))
      ? undefined
      : 'must be mailto: with one email address'
  }
  if (url.protocol !== 'https:') return `must be ${kinds}`
  // The text before an @ looks like the host, but is not.
  return url.username || url.password ? 'must not have user information before the host' : undefined
}
