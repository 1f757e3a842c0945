import type { Config } from '../config.ts'
import {
  type ApiDocument,
  type Media,
  type Operation,
  operationsOf,
  type Response,
  resolved,
} from './api-document.ts'
import type { Heading, Sample, Section } from './article.ts'
import { requestSamples } from './request-samples.ts'
import { Samples } from './samples.tsx'
import { type Field, Fields, fieldsOf, Paragraphs, Prose, TypeName } from './schema-fields.tsx'

/** The OpenAPI document as a page: each operation with its parameters, answers and examples, then the named objects. */
export function Reference({ document, config, root }: Omit<PartProps, 'operation'>) {
  return (
    <>
      <div class="step">
        <div class="prose">
          <h1>API reference</h1>
          <Paragraphs text={document.info.description ?? ''} />
          <p>
            For generators of clients: <a href={`${config.baseUrl}openapi.json`}>openapi.json</a>. The
            addresses begin with <code>{config.baseUrl}</code>.
          </p>
        </div>
      </div>
      {operationsOf(document).map((operation) => (
        <OperationPart
          operation={operation}
          document={document}
          config={config}
          root={root}
          key={operation.operationId}
        />
      ))}
      <Objects document={document} />
    </>
  )
}

export function referenceHeadings(document: ApiDocument): Heading[] {
  return [
    ...operationsOf(document).map(({ operationId, summary }) => ({
      id: operationId,
      text: summary ?? operationId,
    })),
    ...(Object.keys(document.components?.schemas ?? {}).length > 0
      ? [{ id: 'objects', text: 'Objects' }]
      : []),
  ]
}

/** What the search finds in the reference. */
export function referenceSections(document: ApiDocument): Section[] {
  return operationsOf(document).map((operation) => ({
    id: operation.operationId,
    text: operation.summary ?? operation.operationId,
    content: [
      `${operation.method} ${operation.path}`,
      operation.description ?? '',
      ...parametersOf(operation, document).map(({ name, description = '' }) => `${name}: ${description}`),
    ].join(' '),
  }))
}

type PartProps = { operation: Operation; document: ApiDocument; config: Config; root: string }

function OperationPart({ operation, document, config, root }: PartProps) {
  const { operationId, method, path, summary, description, deprecated } = operation
  return (
    <section class="operation" aria-labelledby={operationId}>
      <div class="step">
        <div class="prose">
          <h2 id={operationId}>
            <a href={`#${operationId}`}>{summary ?? operationId}</a>
          </h2>
          <p class="address">
            <strong>{method}</strong> <code>{path}</code>
            {deprecated && <span class="badge">deprecated</span>}
          </p>
          {description && (
            <p>
              <Prose text={description} />
            </p>
          )}
          <Parameters operation={operation} document={document} />
          <Answers operation={operation} document={document} root={root} />
        </div>
        <Samples
          samples={[
            ...requestSamples(document, operation, config.baseUrl),
            ...answerSamples(operation, document),
          ]}
        />
      </div>
    </section>
  )
}

const places: Record<string, string> = {
  path: 'In the path',
  query: 'In the query',
  header: 'Request header',
}

function parametersOf(operation: Operation, document: ApiDocument): (Field & { in: string })[] {
  return (operation.parameters ?? []).map((parameter) => {
    const {
      name = '',
      in: place = '',
      schema = {},
      required = false,
      description,
    } = resolved(parameter, document.components?.parameters)
    return { name, in: place, schema, required, description: description ?? schema.description }
  })
}

function Parameters({ operation, document }: Pick<PartProps, 'operation' | 'document'>) {
  const parameters = parametersOf(operation, document)
  const body = operation.requestBody && resolved(operation.requestBody, document.components?.requestBodies)
  const [type, media] = Object.entries(body?.content ?? {})[0] ?? []
  const fields = media?.schema ? fieldsOf(media.schema, document) : []
  return (
    <>
      {Object.entries(places).map(([place, label]) => {
        const those = parameters.filter((parameter) => parameter.in === place)
        return those.length > 0 && <Fields fields={those} label={label} key={place} />
      })}
      {type && fields.length > 0 && <Fields fields={fields} label={`In the body (${type})`} />}
    </>
  )
}

function responsesOf(operation: Operation, document: ApiDocument): [string, Response][] {
  return Object.entries(operation.responses ?? {}).map(([status, response]) => [
    status,
    resolved(response, document.components?.responses),
  ])
}

function Answers({ operation, document, root }: Omit<PartProps, 'config'>) {
  return (
    <table class="statuses">
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Answer</th>
        </tr>
      </thead>
      <tbody>
        {responsesOf(operation, document).map(([status, response]) => (
          <tr key={status}>
            <td data-label="Status">
              <div>
                <code>{status}</code>
              </div>
            </td>
            <td data-label="Answer">
              <div>
                <Prose text={response.description ?? ''} /> <BodyType response={response} />
                <ErrorCodes response={response} root={root} />
                <Headers response={response} document={document} />
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function BodyType({ response }: { response: Response }) {
  const [type, media] = Object.entries(response.content ?? {})[0] ?? []
  if (!type || !media?.schema || media.schema.type === 'null') return null
  return (
    <span class="type">
      <TypeName schema={media.schema} /> as <code>{type}</code>
    </span>
  )
}

/** The codes in the examples of an error response, each with a link to its page. */
function ErrorCodes({ response, root }: { response: Response; root: string }) {
  const examples = Object.values(response.content ?? {}).flatMap((media) =>
    Object.values(media.examples ?? {}),
  )
  const codes = examples.flatMap(({ value }) => {
    if (typeof value !== 'object' || value === null) return []
    if ('code' in value) return String(value.code)
    return 'error' in value ? String(value.error) : []
  })
  if (codes.length === 0) return null
  return (
    <span class="type">
      {[...new Set(codes)].map((code, index) => (
        <>
          {index > 0 && ', '}
          <a href={`${root}/errors/${code}`} key={code}>
            <code>{code}</code>
          </a>
        </>
      ))}
    </span>
  )
}

function Headers({ response, document }: { response: Response; document: ApiDocument }) {
  const names = Object.keys(response.headers ?? {})
  if (names.length === 0) return null
  return (
    <details class="headers">
      <summary>{`${names.length} headers`}</summary>
      <dl>
        {Object.entries(response.headers ?? {}).map(([name, header]) => {
          const { description, schema } = resolved(header, document.components?.headers)
          return (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>
                <Prose text={description ?? schema?.description ?? ''} />
              </dd>
            </div>
          )
        })}
      </dl>
    </details>
  )
}

/** The first example of each answer that has one. */
function answerSamples(operation: Operation, document: ApiDocument): Sample[] {
  return responsesOf(operation, document).flatMap(([status, { content = {} }]) => {
    if (!status.startsWith('2')) return []
    const example = exampleOf(Object.values(content)[0])
    return example === undefined ? [] : [jsonSample(example, `Answer ${status}`)]
  })
}

function exampleOf(media: Media | undefined): unknown {
  return media?.example ?? Object.values(media?.examples ?? {})[0]?.value ?? media?.schema?.examples?.[0]
}

function jsonSample(value: unknown, label: string): Sample {
  return { language: 'json', text: JSON.stringify(value, null, 2), label }
}

function Objects({ document }: { document: ApiDocument }) {
  const schemas = Object.entries(document.components?.schemas ?? {})
  if (schemas.length === 0) return null
  return (
    <section aria-labelledby="objects">
      <div class="step">
        <div class="prose">
          <h2 id="objects">
            <a href="#objects">Objects</a>
          </h2>
        </div>
      </div>
      {schemas.map(([name, schema]) => {
        const fields = fieldsOf(schema.items?.properties ? schema.items : schema, document)
        const example = schema.examples?.[0]
        return (
          <div class="step" key={name}>
            <div class="prose">
              <h3 id={name}>
                <a href={`#${name}`}>{name}</a>
              </h3>
              {schema.description && (
                <p>
                  <Prose text={schema.description} />
                </p>
              )}
              {fields.length > 0 ? (
                <Fields fields={fields} label="Field" />
              ) : (
                <p>
                  <TypeName schema={schema} />
                </p>
              )}
            </div>
            {example !== undefined && <Samples samples={[jsonSample(example, name)]} />}
          </div>
        )
      })}
    </section>
  )
}
