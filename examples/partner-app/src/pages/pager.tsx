import type { Neighbours } from '../households-api.ts'

export function Pager({ path, previous, next }: Neighbours & { path: string }) {
  if (previous === undefined && next === undefined) return null
  return (
    <nav aria-label="Pages">
      <ul>
        <li>
          {previous !== undefined && (
            <a href={path + previous} rel="prev">
              ← Previous
            </a>
          )}
        </li>
      </ul>
      <ul>
        <li>
          {next !== undefined && (
            <a href={path + next} rel="next">
              Next →
            </a>
          )}
        </li>
      </ul>
    </nav>
  )
}
