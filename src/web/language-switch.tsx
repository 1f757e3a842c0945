import { Icon } from './icons.tsx'
import { languageNames, languages, type Texts } from './languages/languages.ts'

/** A menu that works without script. Each language is written in itself. */
export function LanguageSwitch({ texts, here }: { texts: Texts; here: string }) {
  return (
    <details class="language">
      <summary>
        <Icon name="globe" />
        <span>
          {texts.frame.language} {languageNames[texts.language]}
        </span>
        <Icon name="chevron-down" />
      </summary>
      <form method="post" action="/language">
        <input type="hidden" name="back" value={here} />
        {languages.map((language) => (
          <button
            key={language}
            type="submit"
            name="to"
            value={language}
            lang={language}
            aria-current={language === texts.language || undefined}
          >
            {languageNames[language]}
          </button>
        ))}
      </form>
    </details>
  )
}
