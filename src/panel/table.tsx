import type { ComponentChildren } from 'preact'

export type Column<Row> = {
  label: string
  cell: (row: Row) => ComponentChildren
  /** Figures, which are at the end of their column. */
  isNumber?: boolean
}

/**
 * A list as a table, which becomes cards on a phone. The first column names the row. `empty` says what would be in the list,
 * and how it gets there.
 */
export function Table<Row>(props: {
  caption: string
  columns: Column<Row>[]
  rows: Row[]
  keyOf: (row: Row) => string
  empty: ComponentChildren
  /** The address of the next page. */
  next?: string | undefined
}) {
  const { caption, columns, rows, keyOf, empty, next } = props
  if (rows.length === 0) {
    return (
      <div class="panel">
        <p class="nothing">{empty}</p>
      </div>
    )
  }
  return (
    <>
      <div class="panel">
        <table class="records">
          <caption class="hidden">{caption}</caption>
          <thead>
            <tr>
              {columns.map(({ label, isNumber }) => (
                <th scope="col" key={label} class={isNumber ? 'number' : undefined}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map((column, place) => (
                  <Cell key={column.label} column={column} row={row} isFirst={place === 0} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {next && (
        <p class="next">
          <a class="button secondary" href={next} rel="next">
            Next page
          </a>
        </p>
      )}
    </>
  )
}

function Cell<Row>({ column, row, isFirst }: { column: Column<Row>; row: Row; isFirst: boolean }) {
  const { label, cell, isNumber } = column
  if (isFirst) return <th scope="row">{cell(row)}</th>
  return (
    <td data-label={label} class={isNumber ? 'number' : undefined}>
      <div>{cell(row)}</div>
    </td>
  )
}
