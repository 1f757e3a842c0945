import { createTransport, type NodemailerError, type Transporter } from 'nodemailer'
import type { MailSettings } from '../mail-settings.ts'

/**
 * Milliseconds. Together with the time for an attempt of the outbox, they bound how long a silent mail server holds a place.
 */
const timeouts = {
  dnsTimeout: 5000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 15_000,
}

/**
 * A new connection for each mail. STARTTLS is used where the mail server offers it. With credentials it is required, because
 * a password must not cross a network in clear. On this machine there is no network to protect from, and mail servers often
 * have a certificate that no authority has signed.
 */
export function smtpTransport({ host, port, secure, isLoopback, auth }: MailSettings): Transporter {
  return createTransport({
    ...timeouts,
    host,
    port,
    secure,
    requireTLS: !secure && auth !== undefined && !isLoopback,
    tls: { rejectUnauthorized: !isLoopback },
    // Without `forceAuth`, the mail is sent without a login if the mail server offers none.
    ...(auth && { auth, forceAuth: true }),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Whether the mail server refused the recipient or the content for good (RFC 5321 section 4.2.1: 5yz). */
export function isRefused({ code, command, permanent, responseCode }: NodemailerError): boolean {
  // Not a refused login or sender: the operator may correct them.
  if (permanent) return command === 'RCPT TO' || command === 'DATA'
  return code === 'EENVELOPE' && responseCode === undefined // an address that cannot be sent at all
}

/** For the log. Not the text of the answer, which may quote the recipient. */
export function smtpFacts({ code, responseCode }: NodemailerError): Record<string, string | number> {
  return { reason: code ?? 'unknown', ...(responseCode !== undefined && { smtp_status: responseCode }) }
}

/** For `latchkey doctor`: connects and logs in. @throws {Error} that explains what is wrong */
export async function verifySmtp(settings: MailSettings): Promise<void> {
  const transport = smtpTransport(settings)
  try {
    await transport.verify()
  } catch (error) {
    throw new Error(explained(error, settings))
  } finally {
    transport.close()
  }
}

function explained(error: unknown, { host, port, secure }: MailSettings): string {
  if (!isSmtpError(error)) return String(error)
  const { code, responseCode } = error
  const status = responseCode === undefined ? '' : ` It answered ${responseCode}.`
  const server = `the mail server ${host}:${port}`
  if (code === 'EAUTH') {
    return `${server} does not accept the user name and password of LATCHKEY_SMTP_URL.${status}`
  }
  if (code === 'ETLS') {
    return `${server} offers no TLS that this program trusts.${status} A password is sent only under TLS; ${
      secure ? 'check its certificate' : 'if it expects TLS from the first byte, use smtps://'
    }`
  }
  return `${server} cannot be used: ${error.message}`
}

export function isSmtpError(error: unknown): error is NodemailerError {
  return error instanceof Error
}
