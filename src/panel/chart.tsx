/** A part of each bar. */
export type Series = {
  label: string
  tone: 'accent' | 'warning' | 'danger'
  values: number[]
}

/** In units of the drawing, which is stretched to the width of its card. */
const slot = 10
const bar = 7
const height = 100
/** A small value is still seen. */
const lowest = 1.5

/**
 * Bars over time. The numbers of the axes are text next to the drawing, because the drawing is stretched. The page has the same
 * figures as a table.
 *
 * @param props.finding what the chart shows, for screen readers
 * @param props.names of the bars: `Nov 22, 14:00`
 */
export function BarChart(props: {
  id: string
  finding: string
  series: Series[]
  names: string[]
  format(value: number): string
  tall?: boolean
}) {
  const { id, finding, series, names, format, tall = false } = props
  const totals = names.map((_, n) => series.reduce((sum, { values }) => sum + (values[n] ?? 0), 0))
  const top = niceTop(Math.max(...totals))
  const width = names.length * slot
  return (
    <div class={tall ? 'bars tall' : 'bars'}>
      <div class="bars-axis" aria-hidden="true">
        <span>{format(top)}</span>
        <span>{format(top / 2)}</span>
        <span>0</span>
      </div>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-labelledby={`${id}-finding`}
      >
        <title id={`${id}-finding`}>{finding}</title>
        <path class="grid" d={`M0 .5H${width}M0 ${height / 2}H${width}M0 ${height - 0.5}H${width}`} />
        {names.map((name, n) => (
          <g key={name}>
            <title>{tooltip(name, series, n, format)}</title>
            <path class="target" d={`M${n * slot} 0h${slot}v${height}h-${slot}z`} />
            {stack(series, n, top).map(({ tone, y, tall: size }) => (
              <rect key={tone} class={tone} x={n * slot + (slot - bar) / 2} y={y} width={bar} height={size} />
            ))}
          </g>
        ))}
      </svg>
      <div class="bars-times" aria-hidden="true">
        <span>{names[0]}</span>
        <span class="middle">{names[Math.floor(names.length / 2)]}</span>
        <span>{names.at(-1)}</span>
      </div>
    </div>
  )
}

/** The parts of a bar from the bottom up. */
function stack(series: Series[], n: number, top: number) {
  let below = 0
  return series.flatMap(({ tone, values }) => {
    const value = values[n] ?? 0
    if (value === 0) return []
    const tall = Math.max(round((value / top) * height), lowest)
    below += tall
    return { tone, y: round(Math.max(height - below, 0)), tall }
  })
}

function tooltip(name: string, series: Series[], n: number, format: (value: number) => string): string {
  const parts = series.map(({ label, values }) => `${format(values[n] ?? 0)} ${label}`)
  return `${name}: ${parts.join(', ')}`
}

export function Legend({ series }: { series: Series[] }) {
  return (
    <ul class="legend">
      {series.map(({ label, tone }) => (
        <li key={label}>
          <span class={`swatch ${tone}`} aria-hidden="true" />
          {label}
        </li>
      ))}
    </ul>
  )
}

/** The next round number whose half is round too. */
function niceTop(value: number): number {
  if (value <= 2) return 2
  const size = 10 ** Math.floor(Math.log10(value))
  const steps = size === 1 ? [2, 4, 6, 8, 10] : [1, 1.2, 1.6, 2, 3, 4, 6, 8, 10]
  return (steps.find((step) => step * size >= value) ?? 10) * size
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
