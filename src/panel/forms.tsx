import type { ComponentChildren } from 'preact'
import { HiddenFields } from '../web/parts.tsx'

type FieldProps = {
  name: string
  label: string
  hint?: ComponentChildren
  value?: string | undefined
  required?: boolean
  maxLength?: number
  /** Unique on the page. The name by default. */
  id?: string
}

export function Field({
  name,
  label,
  hint,
  value = '',
  required = false,
  maxLength = 1000,
  id = name,
}: FieldProps) {
  const hintId = hint === undefined ? undefined : `${id}-hint`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...{ id, name, value, required, maxLength }}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={hintId}
      />
      {hint !== undefined && <small id={hintId}>{hint}</small>}
    </div>
  )
}

export function TextArea({
  name,
  label,
  hint,
  value = '',
  required = false,
  maxLength = 20_000,
  id = name,
  rows = 3,
}: FieldProps & { rows?: number }) {
  const hintId = hint === undefined ? undefined : `${id}-hint`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        {...{ id, name, rows, required, maxLength }}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={hintId}
      >
        {value}
      </textarea>
      {hint !== undefined && <small id={hintId}>{hint}</small>}
    </div>
  )
}

/** A file to upload. The form around it needs `hasFile`. */
export function FileField({
  name,
  label,
  hint,
  accept,
  id = name,
}: Pick<FieldProps, 'name' | 'label' | 'hint' | 'id'> & { accept: string }) {
  const hintId = hint === undefined ? undefined : `${id}-hint`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input type="file" {...{ id, name, accept }} aria-describedby={hintId} />
      {hint !== undefined && <small id={hintId}>{hint}</small>}
    </div>
  )
}

export type Choices = Record<string, string>

export function Select({
  name,
  label,
  hint,
  value = '',
  choices,
  id = name,
}: Omit<FieldProps, 'required' | 'maxLength'> & { choices: Choices }) {
  const hintId = hint === undefined ? undefined : `${id}-hint`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} aria-describedby={hintId}>
        {Object.entries(choices).map(([choice, text]) => (
          <option key={choice} value={choice} selected={choice === value}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && <small id={hintId}>{hint}</small>}
    </div>
  )
}

export function Checkbox(props: {
  name: string
  label: ComponentChildren
  value?: string
  checked?: boolean
}) {
  const { name, label, value = 'true', checked = false } = props
  return (
    <label class="check">
      <input type="checkbox" name={name} value={value} checked={checked} />
      <span>{label}</span>
    </label>
  )
}

/** A form that changes something. */
export function PostForm(props: {
  action: string
  csrf: string
  class?: string
  /** Whether a field is a file: see `acceptUploads`. */
  hasFile?: boolean
  children: ComponentChildren
}) {
  const { action, hasFile } = props
  return (
    <form
      method="post"
      action={action}
      class={props.class ?? 'stacked'}
      enctype={hasFile ? 'multipart/form-data' : undefined}
    >
      <HiddenFields csrf={props.csrf} />
      {props.children}
    </form>
  )
}

/** A form that is only a button. `about` completes its name for screen readers, where a page has several. */
export function PostButton(props: {
  action: string
  csrf: string
  label: string
  about?: string
  fields?: Record<string, string>
  tone?: 'secondary' | 'secondary danger' | 'danger'
}) {
  const { action, csrf, label, about, fields = {}, tone = 'secondary' } = props
  return (
    <PostForm action={action} csrf={csrf} class="one-button">
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} key={name} />
      ))}
      <button type="submit" class={tone}>
        {label}
        {about && <span class="hidden"> {about}</span>}
      </button>
    </PostForm>
  )
}

/** The filters of a list. They are in the address of the page. */
export function Filters({ action, children }: { action: string; children: ComponentChildren }) {
  return (
    <search aria-label="Filters of the list">
      <form action={action} class="filters">
        {children}
        <button type="submit" class="secondary">
          Show
        </button>
      </form>
    </search>
  )
}

/** Asks again before a change. */
export function Confirmation(props: {
  action: string
  csrf: string
  /** What the change does. */
  children: ComponentChildren
  button: string
  isDangerous?: boolean
  cancel: { label: string; href: string }
}) {
  const { action, csrf, children, button, isDangerous = false, cancel } = props
  return (
    <>
      <div class={isDangerous ? 'notice warning' : 'notice'}>{children}</div>
      <PostForm action={action} csrf={csrf}>
        <div class="form-row">
          <button type="submit" class={isDangerous ? 'danger' : undefined}>
            {button}
          </button>
          <a class="button secondary" href={cancel.href}>
            {cancel.label}
          </a>
        </div>
      </PostForm>
    </>
  )
}

/** Before something that cannot be undone, the operator types a name. */
export function TypedConfirmation({ word }: { word: string }) {
  return (
    <Field
      name="confirmation"
      label="Confirmation"
      hint={
        <>
          Type <code>{word}</code> to confirm.
        </>
      }
      required
    />
  )
}

/** The lines of a text area, without empty ones. */
export function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
