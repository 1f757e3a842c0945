import { type ComponentChildren, Fragment } from 'preact'
import { FormFault, Moment } from '../web/parts.tsx'

/** The title of a page, what it is for, and what can be done there. */
export function PageHead(props: {
  title: ComponentChildren
  /** The list that the page belongs to. */
  back?: { label: string; href: string }
  intro?: ComponentChildren
  /** Links and buttons at the other end. */
  children?: ComponentChildren
}) {
  const { title, back, intro, children } = props
  return (
    <>
      {back && (
        <p class="back">
          <a href={back.href}>{back.label}</a>
        </p>
      )}
      <div class="page-head">
        <h1>{title}</h1>
        {children && <div class="page-actions">{children}</div>}
        {intro && <p>{intro}</p>}
      </div>
    </>
  )
}

/** A part of a page, with a heading that links and screen readers can go to. */
export function Section(props: {
  id: string
  title: string
  intro?: ComponentChildren
  /** A link next to the heading. */
  more?: { label: string; href: string }
  children: ComponentChildren
}) {
  const { id, title, intro, more, children } = props
  return (
    <section aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
        {more && <a href={more.href}>{more.label}</a>}
      </div>
      {intro && <p class="muted">{intro}</p>}
      {children}
    </section>
  )
}

/** Names and values, of which those that are undefined are left out. */
export function Facts({ items }: { items: Record<string, ComponentChildren | undefined> }) {
  return (
    <dl class="properties">
      {Object.entries(items).map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** An id, which a click selects as a whole. */
export function Id({ children }: { children: string }) {
  return (
    <code class="id" dir="ltr">
      {children}
    </code>
  )
}

/** A name that someone else has chosen: its direction does not change the text around it. */
export function Name({ children }: { children: string | null }) {
  return children === null ? <span class="muted">no name</span> : <bdi>{children}</bdi>
}

/** A name with underscores, which breaks after them and not within a word. */
export function LongName({ children }: { children: string }) {
  return (
    <>
      {children.split(/(?<=_)/).map((part, place) => (
        <Fragment key={place}>
          {place > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  )
}

export type Tone = 'ok' | 'warning' | 'danger' | 'plain'

/** A state in one word. The colour repeats what the word says. */
export function State({ tone, children }: { tone: Tone; children: string }) {
  return <span class={`state ${tone}`}>{children}</span>
}

/** A time, relative to now. The exact time is in its title. */
export function When({ at, none = 'never' }: { at: Date | string | null; none?: string }) {
  if (at === null) return <span class="muted">{none}</span>
  return <Moment at={typeof at === 'string' ? new Date(at) : at} language="en" relative />
}

/** A time to the minute or second, also of an event in the future. */
export function Exact(props: { at: Date | string | null; none?: string; seconds?: boolean }) {
  const { at, none = 'never', seconds = false } = props
  if (at === null) return <span class="muted">{none}</span>
  return <Moment at={typeof at === 'string' ? new Date(at) : at} language="en" seconds={seconds} />
}

/** What a form has done. */
export function Done({ children }: { children: ComponentChildren }) {
  return (
    <div class="done" role="status">
      <p>{children}</p>
    </div>
  )
}

/** Why a form was refused. */
export function Faults({ faults }: { faults: string[] }) {
  if (faults.length === 0) return null
  return <FormFault id="fault">{faults.join(' ')}</FormFault>
}

/** A secret that is shown only on this page. */
export function NewSecret({ what, children }: { what: string; children: string }) {
  return (
    <div class="notice new-secret" role="status">
      <p>
        <strong>Copy the {what} now.</strong> It is shown only this once.
      </p>
      <p>
        <Id>{children}</Id>
      </p>
    </div>
  )
}

/** A number with separators. */
export function amount(of: number): string {
  return new Intl.NumberFormat('en').format(of)
}

/** A number and its noun: `1 household`, `214 households`. */
export function counted(of: number, one: string, other = `${one}s`): string {
  return `${amount(of)} ${of === 1 ? one : other}`
}
