import { type ApiDocument, type Operation, resolved } from './api-document.ts'
import type { Sample } from './article.ts'

/** `url` has shell variables for its parts in braces: `…/households/${HOUSEHOLD_ID}/accounts`. */
type Call = { url: string; method: string; form: [string, string][]; bearer: boolean }

/** The smallest complete request of an operation, for curl, Python and TypeScript. */
export function requestSamples(document: ApiDocument, operation: Operation, baseUrl: string): Sample[] {
  const call = callOf(document, operation, baseUrl)
  return [
    { language: 'sh', tab: 'sh', text: curl(call) },
    { language: 'python', tab: 'python', text: python(call) },
    { language: 'ts', tab: 'ts', text: typescript(call) },
  ]
}

function callOf(document: ApiDocument, operation: Operation, baseUrl: string): Call {
  const body = operation.requestBody && resolved(operation.requestBody, document.components?.requestBodies)
  const form = body?.content?.['application/x-www-form-urlencoded']
  const example = form?.example ?? Object.values(form?.examples ?? {})[0]?.value
  const bearer = operation.security?.some((scheme) => 'oauth2' in scheme || 'bearer' in scheme) ?? false
  const path = operation.path.slice(1).replace(/\{(\w+)\}/g, (_, name: string) => `\${${name.toUpperCase()}}`)
  return {
    url: baseUrl + path,
    method: operation.method,
    form:
      !bearer && typeof example === 'object' && example
        ? Object.entries(example).map(([k, v]) => [k, sampleValue(k, v)])
        : [],
    bearer,
  }
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
  return [`curl -sS "${url}"`, ...options].join(' \\\n  ')
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
