import { renderToString } from 'preact-render-to-string'
import { isMet, score, type Verdict } from './goal.ts'
import { limitText, measuredText } from './table.ts'

/** A goal with its measured result at so many households. */
export type Charted = Verdict & { households: number }

const width = 1000
/** The goal line, and the longest bar to either side of it: 32 times better or worse than the goal. */
const line = 640
const reach = 150
const farthest = 32
const [barHeight, barStep, rowGap, top] = [12, 16, 8, 64]

const style = `
  svg { background: #fff; font: 13px system-ui, sans-serif; fill: #1f2328 }
  .back { fill: #fff } .soft { fill: #59636e } .line { stroke: #1f2328 } .rule { stroke: #d1d9e0 }
  .met { fill: #2f7dd1 } .missed { fill: #d9730d } .title { font-weight: 600; font-size: 16px }
  @media (prefers-color-scheme: dark) {
    svg { background: #0d1117; fill: #e6edf3 }
    .back { fill: #0d1117 } .soft { fill: #9198a1 } .line { stroke: #e6edf3 } .rule { stroke: #30363d }
    .met { fill: #58a6ff } .missed { fill: #f0883e }
  }`

/** An SVG with a bar for each goal and size; bars to the right of the line meet their goal. */
export function chart(charted: Charted[]): string {
  const goals = [...new Set(charted.map(({ goal }) => goal))]
  let y = top
  const drawn = goals.map((goal) => {
    const bars = charted.filter((one) => one.goal === goal)
    const row = <Row key={goal} goal={goal} bars={bars} y={y} />
    y += Math.max(2, bars.length) * barStep + rowGap
    return row
  })
  const met = charted.filter(isMet).length
  return renderToString(
    <svg xmlns="http://www.w3.org/2000/svg" viewBox={`0 0 ${width} ${y + 8}`} role="img">
      <title>{`${met} of ${charted.length} goals met`}</title>
      <style>{style}</style>
      <rect class="back" width={width} height={y + 8} />
      <text class="title" x="16" y="28">{`${met} of ${charted.length} goals met`}</text>
      <text class="soft" x={line - 8} y="50" text-anchor="end">
        worse than the goal
      </text>
      <text class="soft" x={line + 8} y="50">
        {`better than the goal, up to ${farthest} times`}
      </text>
      {drawn}
      <line class="line" x1={line} x2={line} y1="38" y2={y} />
    </svg>,
  )
}

function Row({ goal, bars, y }: { goal: string; bars: Charted[]; y: number }) {
  const limit = bars[0]?.limit
  return (
    <g>
      <line class="rule" x1="16" x2={width - 16} y1={y - rowGap / 2} y2={y - rowGap / 2} />
      <text x="16" y={y + barHeight - 2}>
        {goal}
      </text>
      {limit ? (
        <text class="soft" x="16" y={y + barStep + barHeight - 2}>
          {limitText(limit)}
        </text>
      ) : null}
      {bars.map((bar, i) => (
        <Bar key={bar.households} bar={bar} y={y + i * barStep} />
      ))}
    </g>
  )
}

function Bar({ bar, y }: { bar: Charted; y: number }) {
  const distance = (Math.log(score(bar)) / Math.log(farthest)) * reach
  const length = Math.min(reach, Math.max(2, Math.abs(distance)))
  return (
    <g>
      <rect
        class={isMet(bar) ? 'met' : 'missed'}
        x={isMet(bar) ? line : line - length}
        y={y}
        width={length}
        height={barHeight}
      />
      <text x={line + reach + 12} y={y + barHeight - 2}>
        {`${measuredText(bar)} at ${bar.households.toLocaleString('en-US')}`}
      </text>
    </g>
  )
}
