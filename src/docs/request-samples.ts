import { type ApiDocument, type Operation, resolved } from './api-document.ts'
import { isTab, type Sample, tabs } from './article.ts'

/** `url` has shell variables for its parts in braces: `…/households/${HOUSEHOLD_ID}/accounts`. */
type Call = { url: string; method: string; form: [string, string][]; bearer: boolean }

const languages = { sh: curl, python, ts: typescript }

/** The smallest complete requests of an operation, for curl, Python and TypeScript: one for each example of its body. */
export function requestSamples(document: ApiDocument, operation: Operation, baseUrl: string): Sample[] {
  const body = operation.requestBody && resolved(operation.requestBody, document.components?.requestBodies)
  const examples = Object.values(body?.content?.['application/x-www-form-urlencoded']?.examples ?? {})
  const bearer = operation.security?.some((scheme) => 'bearer' in scheme) ?? false
  const path = operation.path.slice(1).replace(/\{(\w+)\}/g, (_, name: string) => `\${${name.toUpperCase()}}`)
  const call = { url: baseUrl + path, method: operation.method, bearer, form: [] }
  const forms = bearer ? [] : examples
  if (forms.length < 2) return samplesOf({ ...call, form: formOf(forms[0]?.value) })
  return forms.flatMap(({ summary, value }) => samplesOf({ ...call, form: formOf(value) }, summary))
}

function samplesOf(call: Call, summary?: string): Sample[] {
  return Object.entries(tabs).flatMap(([name, title]) => {
    if (!isTab(name)) return []
    const label = summary ? `${title}: ${summary}` : title
    return { language: name, tab: name, label, text: languages[name](call) }
  })
}

function formOf(example: unknown): [string, string][] {
  if (typeof example !== 'object' || example === null) return []
  return Object.entries(example).map(([name, value]) => [name, sampleValue(name, value)])
}

/** Credentials are variables, so that a sample can be run as it is. */
function sampleValue(name: string, value: unknown): string {
  const isVariable = /^(client_id|client_secret|code|refresh_token|token|redirect_uri|code_verifier)$/.test(
    name,
  )
  return isVariable ? `\${${name.toUpperCase()}}` : String(value)
}

function curl({ url, form, bearer }: Call): string {
  const options = [
    ...(bearer ? [`-H "Authorization: Bearer \${ACCESS_TOKEN}"`] : []),
    ...form.map(([name, value]) => `-d "${name}=${value}"`),
  ]
  return ['curl -sS', `"${url}"`, ...options].join(' \\\n  ')
}

function python({ url, form, method, bearer }: Call): string {
  const lines = [
    `    ${pythonText(url)},`,
    ...(bearer ? [`    headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},`] : []),
    ...(form.length > 0
      ? ['    data={', ...form.map(([name, value]) => `        "${name}": ${pythonText(value)},`), '    },']
      : []),
  ]
  return [
    'import os',
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    ...lines,
    ')',
    'response.raise_for_status()',
    'print(response.json())',
  ].join('\n')
}

function pythonText(text: string): string {
  const whole = /^\$\{(\w+)\}$/.exec(text)
  if (whole) return `os.environ["${whole[1]}"]`
  const withVariables = text.replace(/\$\{(\w+)\}/g, `{os.environ['$1']}`)
  return `${withVariables === text ? '' : 'f'}"${withVariables}"`
}

function typescript({ url, form, method, bearer }: Call): string {
  const lines = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(bearer ? [`  headers: { authorization: \`Bearer \${process.env.ACCESS_TOKEN}\` },`] : []),
    ...(form.length > 0
      ? [
          '  body: new URLSearchParams({',
          ...form.map(([name, value]) => `    ${name}: ${typescriptText(value)},`),
          '  }),',
        ]
      : []),
  ]
  return [
    `const response = await fetch(${typescriptText(url)}, {`,
    ...lines,
    '})',
    `if (!response.ok) throw new Error(\`\${response.status}: \${await response.text()}\`)`,
    'console.log(await response.json())',
  ].join('\n')
}

function typescriptText(text: string): string {
  const whole = /^\$\{(\w+)\}$/.exec(text)
  if (whole) return `process.env.${whole[1]} ?? ''`
  const withVariables = text.replace(/\$\{(\w+)\}/g, `\${process.env.$1}`)
  return withVariables === text ? `'${text}'` : `\`${withVariables}\``
}
