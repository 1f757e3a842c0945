import type { Texts } from '../web/languages/languages.ts'
import { Amount } from '../web/parts.tsx'

/** The households that an application would see, one page of them. */
export function HouseholdsPage(props: {
  texts: Texts
  /** The sealed request. */
  request: string
  partnerName: string
  names: string[]
  households: number
  /** From 0. */
  page: number
  pageSize: number
}) {
  const { texts, request, names, households, page, pageSize } = props
  const { householdsPage: text } = texts.connect
  const first = page * pageSize + 1
  const last = first + names.length - 1
  const amount = (of: number) => <Amount of={of} language={texts.language} />
  const hrefOf = (number: number) =>
    `/connect/households?${new URLSearchParams({ page: String(number), request })}`
  return (
    <>
      <p>
        <a href={`/connect?${new URLSearchParams({ request })}`}>{text.back}</a>
      </p>
      <h1>{text.heading(<bdi>{props.partnerName}</bdi>)}</h1>
      {names.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <>
          <p>{text.position(amount(first), amount(last), amount(households))}</p>
          <ul class="names">
            {names.map((name, place) => (
              <li key={String(place)}>
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      <nav class="pages" aria-label={text.pages}>
        {page > 0 && (
          <a class="button secondary" rel="prev" href={hrefOf(page - 1)}>
            {text.previous}
          </a>
        )}
        {last < households && names.length > 0 && (
          <a class="button secondary" rel="next" href={hrefOf(page + 1)}>
            {text.next}
          </a>
        )}
      </nav>
    </>
  )
}
