import type { Brand } from '../brand/brand.ts'
import type { MailSettings } from '../mail-settings.ts'
import { type Mail, mails } from '../outbox/mails.ts'
import type { Channel, DeliveryOutcome } from '../outbox/outbox-worker.ts'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import { openStored, UnreadableSecret } from '../secrets/stored-secret.ts'
import { composeMail } from './compose-mail.tsx'
import { isRefused, isSmtpError, smtpFacts, smtpTransport } from './smtp.ts'

/** Seconds between the attempts to send a mail: about a day and a half in all. A mail that expires before is not sent. */
const backOffSeconds = [30, 120, 600, 1800, 3600, 3 * 3600, 8 * 3600, 24 * 3600]

/** How the outbox sends mails. */
export function mailChannel(options: {
  settings: MailSettings
  keys: SecretKeys
  authUrl: string
  brand: Brand
}): Channel {
  const { settings, keys, authUrl, brand } = options
  const { from } = settings
  const transport = smtpTransport(settings)
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)

  const deliver: Channel['deliver'] = async ({ id, payload, createdAt }, signal) => {
    if (!mails.Check(payload)) return { kind: 'refused', facts: { reason: 'malformed' } }
    const facts = { mail: payload.mail }
    try {
      const link = linkOf(payload, keys)
      await transport.sendMail({
        from: { name: from.name || brand.name, address: from.address },
        // As an object, because a text could be read as several addresses.
        to: { name: '', address: payload.to },
        ...composeMail(payload, link, { authUrl, brand }),
        // The same in every attempt: mail programs show a mail that arrives twice only once.
        messageId: `<${id}@${domain}>`,
        date: createdAt,
        // RFC 3834: programs that answer mails must not answer this one.
        headers: { 'Auto-Submitted': 'auto-generated' },
        xMailer: false,
        signal,
      })
      return { kind: 'delivered', facts }
    } catch (error) {
      return failure(error, facts)
    }
  }
  return { kind: 'mail', backOffSeconds, deliver }
}

function linkOf({ facts }: Mail, keys: SecretKeys): string | undefined {
  return 'link' in facts ? openStored(keys, facts.link) : undefined
}

function failure(error: unknown, facts: { mail: string }): DeliveryOutcome {
  // Another server may have the secret, while it is being replaced.
  if (error instanceof UnreadableSecret)
    return { kind: 'failed', facts: { ...facts, reason: 'unreadable_link' } }
  if (!isSmtpError(error)) throw error
  return { kind: isRefused(error) ? 'refused' : 'failed', facts: { ...facts, ...smtpFacts(error) } }
}
