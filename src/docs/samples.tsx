import { type Sample, type Tab, tabs } from './article.ts'
import { highlight } from './highlight.ts'

const names: Record<string, string> = {
  sh: 'Shell',
  python: 'Python',
  ts: 'TypeScript',
  json: 'JSON',
  html: 'HTML',
  http: 'HTTP',
}

/**
 * Code blocks. Blocks of several languages that follow each other get a switch. The script of the docs shows one of them
 * and remembers the choice. Without script, all are shown.
 */
export function Samples({ samples }: { samples: Sample[] }) {
  return (
    <div class="samples">
      {grouped(samples).map((group, index) => (
        <SampleGroup samples={group} key={index} />
      ))}
    </div>
  )
}

function SampleGroup({ samples }: { samples: Sample[] }) {
  const languages = [...new Set(samples.flatMap(({ tab }) => tab ?? []))]
  if (languages.length < 2) return <>{samples.map((sample) => figure(sample, false))}</>
  return (
    <div class="languages" data-has={languages.join(' ')}>
      <fieldset class="switch" aria-label="Language of the examples" hidden>
        {languages.map((tab) => (
          <button type="button" data-choose={tab} key={tab}>
            {tabs[tab]}
          </button>
        ))}
      </fieldset>
      {samples.map((sample) => figure(sample, true))}
    </div>
  )
}

function figure({ language, text, tab, label: given, file, skip }: Sample, inGroup: boolean) {
  const label = given ?? file ?? (inGroup && tab ? tabs[tab] : (names[language] ?? language))
  return (
    <figure data-language={language} data-tab={tab} data-file={file} data-skip={skip && ''} key={text}>
      <figcaption>{label}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long line scrolls, and the keyboard must reach it (WCAG 2.1.1) */}
      <pre tabIndex={0}>
        <code dangerouslySetInnerHTML={{ __html: highlight(text, language) }} />
      </pre>
    </figure>
  )
}

/** Neighbours that have a tab form a group. All others are alone. */
function grouped(samples: Sample[]): Sample[][] {
  const groups: Sample[][] = []
  let before: Tab | undefined
  for (const sample of samples) {
    if (sample.tab && before) groups.at(-1)?.push(sample)
    else groups.push([sample])
    before = sample.tab
  }
  return groups
}
