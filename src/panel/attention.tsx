import type { ComponentChildren } from 'preact'
import { Icon } from '../web/icons.tsx'

export type AttentionItem = {
  key: string
  /** Where it is put right. */
  href: string
  /** What is wrong. */
  text: ComponentChildren
  remedy: ComponentChildren
}

/** What needs attention, the most urgent first. */
export function AttentionList({ items }: { items: AttentionItem[] }) {
  if (items.length === 0) {
    return (
      <p class="all-well">
        <Icon name="check" />
        <span>Nothing needs your attention.</span>
      </p>
    )
  }
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      <div class="panel attention">
        <ul class="rows">
          {items.map(({ key, href, text, remedy }) => (
            <li key={key}>
              <Icon name="alert" />
              <div class="grow">
                <p>
                  <a href={href}>{text}</a>
                </p>
                <p class="small">{remedy}</p>
              </div>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
