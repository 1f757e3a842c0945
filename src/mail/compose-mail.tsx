import { renderToString } from 'preact-render-to-string'
import type { Brand } from '../brand/brand.ts'
import type { Mail } from '../outbox/mails.ts'
import { chooseTexts, type Texts } from '../web/languages/languages.ts'
import { contentOf, type MailContent, oneLine } from './mail-content.ts'

/**
 * Mails that greet with the address. An administrator of an application chooses the names of invited developers. A name that is
 * a sentence with a link would look like a text of the operator (threat 94).
 */
const greetsWithAddress: ReadonlySet<Mail['mail']> = new Set([
  'developer_invited',
  'developer_added',
  'webhook_disabled',
])

/**
 * Writes a mail in the user's language.
 * @param link the link of the mail, opened; undefined if this mail brings none
 */
export function composeMail(
  mail: Mail,
  link: string | undefined,
  { authUrl, brand }: { authUrl: string; brand: Brand },
): { subject: string; text: string; html: string } {
  const texts = chooseTexts(mail.language, undefined)
  const content = contentOf(mail, { texts, authUrl, brand: brand.name, link: link ?? '' })
  const greeting = texts.mails.greeting(oneLine(greetsWithAddress.has(mail.mail) ? mail.to : mail.name))
  return {
    subject: content.subject,
    text: textOf({ content, greeting, texts, brand }),
    html: htmlOf({ content, greeting, texts, brand }),
  }
}

type Parts = { content: MailContent; greeting: string; texts: Texts; brand: Brand }

function textOf({ content, greeting, texts: { mails }, brand }: Parts): string {
  const { paragraphs, link, note } = content
  const support = brand.supportUrl ? [`${mails.support}\n${brand.supportUrl}`] : []
  const footer = [mails.automatic(brand.name), ...support].join('\n')
  const parts = [greeting, ...paragraphs, `${link.label}\n${link.address}`, note ?? [], `-- \n${footer}`]
  return parts.flat().join('\n\n')
}

/** Without pictures, scripts and style sheets. Nothing is loaded when the mail is opened, so no server learns of it. */
function htmlOf({ content, greeting, texts: { mails, language }, brand }: Parts): string {
  const document = (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{content.subject}</title>
      </head>
      <body style="font-family: sans-serif; line-height: 1.5; max-width: 36em; margin: 0 auto; padding: 1em">
        <p style="font-weight: bold">{brand.name}</p>
        <p>{greeting}</p>
        {content.paragraphs.map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
        <p>
          <a href={content.link.address}>{content.link.label}</a>
        </p>
        {content.note && <p>{content.note}</p>}
        <p style="font-size: smaller">
          {mails.automatic(brand.name)} {brand.supportUrl && <a href={brand.supportUrl}>{mails.support}</a>}
        </p>
      </body>
    </html>
  )
  return `<!doctype html>${renderToString(document)}`
}
