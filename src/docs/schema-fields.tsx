import { Marked } from 'marked'
import type { ComponentChildren } from 'preact'
import { type ApiDocument, refName, resolved, type Schema } from './api-document.ts'
import { escapeHtml } from './highlight.ts'

const marked = new Marked({ renderer: { html: ({ text }) => escapeHtml(text) } })

/** A description from the code, with the inline marks of Markdown. */
export function Prose({ text }: { text: string }) {
  return <span dangerouslySetInnerHTML={{ __html: marked.parseInline(text, { async: false }) }} />
}

/** A longer description, with paragraphs and lists. */
export function Paragraphs({ text }: { text: string }) {
  return <div dangerouslySetInnerHTML={{ __html: marked.parse(text, { async: false }) }} />
}

/** The type of a value in words. A named schema is a link to its description. */
export function TypeName({ schema }: { schema: Schema }): ComponentChildren {
  if (schema.$ref !== undefined) {
    const name = refName(schema.$ref)
    return <a href={`#${name}`}>{name}</a>
  }
  const options = schema.oneOf ?? schema.anyOf
  if (options)
    return joined(options.map((option) => <TypeName schema={option} key={JSON.stringify(option)} />))
  if (schema.const !== undefined) return <code>{JSON.stringify(schema.const)}</code>
  if (schema.enum)
    return joined(schema.enum.map((value) => <code key={String(value)}>{JSON.stringify(value)}</code>))
  if (schema.items) {
    return (
      <>
        array of <TypeName schema={schema.items} />
      </>
    )
  }
  const type = schema.type === undefined ? 'any' : [schema.type].flat().join(' or ')
  return <>{schema.format ? `${type}, ${schema.format}` : type}</>
}

function joined(parts: ComponentChildren[]): ComponentChildren {
  return parts.map((part, index) => [index > 0 && ' or ', part])
}

/** The limits of a value, as short sentences. */
function limits({ minimum, maximum, minLength, maxLength, default: standard }: Schema): string {
  const parts = [
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}.`,
    minimum !== undefined && maximum === undefined && `At least ${minimum}.`,
    minimum === undefined && maximum !== undefined && `At most ${maximum}.`,
    minLength && maxLength === undefined && 'Not empty.',
    maxLength !== undefined && `At most ${maxLength} characters.`,
    standard !== undefined && `Default: ${JSON.stringify(standard)}.`,
  ]
  return parts.filter(Boolean).join(' ')
}

export type Field = { name: string; schema: Schema; required: boolean; description: string | undefined }

/** The properties of an object. A property that is an unnamed object has rows for its own properties. */
export function fieldsOf(schema: Schema, document: ApiDocument, prefix = ''): Field[] {
  const parts = [schema, ...(schema.allOf ?? [])].map((part) => resolved(part, document.components?.schemas))
  return parts.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).flatMap(([key, property]) => {
      const name = prefix + key
      const field = {
        name,
        schema: property,
        required: required.includes(key),
        description: property.description,
      }
      if (property.properties) return [field, ...fieldsOf(property, document, `${name}.`)]
      if (property.items?.properties) return [field, ...fieldsOf(property.items, document, `${name}[].`)]
      return [field]
    }),
  )
}

/** Parameters, headers or properties: name, type, meaning. */
export function Fields({ fields, label }: { fields: Field[]; label: string }) {
  return (
    <table class="fields">
      <thead>
        <tr>
          <th scope="col">{label}</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, schema, required, description }) => (
          <tr key={name}>
            <td data-label={label}>
              <div>
                <code>{name}</code>
                <span class="type">
                  <TypeName schema={schema} />
                  {required && <strong class="required">required</strong>}
                </span>
              </div>
            </td>
            <td data-label="Meaning">
              <div>
                <Prose text={[description, limits(schema)].filter(Boolean).join(' ')} />
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
