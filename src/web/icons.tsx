/** Strokes of 1.5 in a box of 20 by 20. */
const shapes = {
  alert: 'M10 3 2.5 16.5h15L10 3ZM10 8.5v3.5M10 14.4v.1',
  'arrow-right': 'M3 10h14M12 5l5 5-5 5',
  bell: 'M5 8.5a5 5 0 0 1 10 0c0 4 2 5.5 2 5.5H3s2-1.5 2-5.5ZM8.3 17a2 2 0 0 0 3.4 0',
  book: 'M10 5.5C8.5 4.3 6 4 3 4v11.5c3 0 5.5.3 7 1.5 1.5-1.2 4-1.5 7-1.5V4c-3 0-5.5.3-7 1.5ZM10 5.5V17',
  calendar: 'M3.5 4.5h13v12h-13ZM3.5 8.5h13M7 2.5v4M13 2.5v4',
  chart: 'M3 17h14M5 14v-4M10 14V5M15 14V8',
  check: 'M4 10.5 8 14.5 16 6',
  'chevron-down': 'M5 7.5l5 5 5-5',
  'chevron-right': 'M7.5 5l5 5-5 5',
  clock: 'M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15ZM10 6v4l2.7 2',
  code: 'M6.5 6 2.5 10l4 4M13.5 6l4 4-4 4M11.5 4l-3 12',
  cross: 'M5 5l10 10M15 5 5 15',
  external: 'M8 4.5H4.5v11h11V12M11.5 3.5h5v5M16.5 3.5 9.5 10.5',
  eye: 'M1.5 10S4.5 4.5 10 4.5 18.5 10 18.5 10 15.5 15.5 10 15.5 1.5 10 1.5 10ZM10 7.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z',
  gear: 'M3 6h8M15 6h2M3 14h2M9 14h8M13 4a2 2 0 1 0 0 4 2 2 0 0 0 0-4ZM7 12a2 2 0 1 0 0 4 2 2 0 0 0 0-4Z',
  globe:
    'M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15ZM2.5 10h15M10 2.5c2 2.2 3 4.7 3 7.5s-1 5.3-3 7.5c-2-2.2-3-4.7-3-7.5s1-5.3 3-7.5Z',
  house: 'M3 9 10 3l7 6v8.5H3ZM8 17.5v-5.5h4v5.5',
  info: 'M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15ZM10 9v5M10 6.1v.1',
  key: 'M13 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM9.8 10.2 3 17M5.5 14.5 8 17M13.5 6.5v.1',
  link: 'M8.5 11.5a3.5 3.5 0 0 0 5 0l3-3a3.5 3.5 0 0 0-5-5l-1 1M11.5 8.5a3.5 3.5 0 0 0-5 0l-3 3a3.5 3.5 0 0 0 5 5l1-1',
  lock: 'M4.5 9h11v8.5h-11ZM6.5 9V6.5a3.5 3.5 0 0 1 7 0V9',
  logout: 'M8 3.5H4v13h4M12.5 6l4 4-4 4M16.5 10H8',
  mail: 'M2.5 4.5h15v11h-15ZM2.5 6l7.5 5.5L17.5 6',
  menu: 'M3 5.5h14M3 10h14M3 14.5h14',
  monitor: 'M2.5 3.5h15v10h-15ZM7 17h6M10 13.5V17',
  phone: 'M6 2.5h8v15H6ZM9.5 15h1',
  search: 'M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM13 13l4 4',
  shield: 'M10 2.5 3.5 5v5c0 3.7 2.6 6.3 6.5 7.5 3.9-1.2 6.5-3.8 6.5-7.5V5ZM7 10l2.2 2.2L13 8.4',
  upload: 'M10 13V3.5M6 7l4-4 4 4M3.5 13v3.5h13V13',
  user: 'M10 3a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7ZM3 17.5c.5-3.3 3.2-5 7-5s6.5 1.7 7 5',
  wallet: 'M3 5.5v10c0 .6.4 1 1 1h13v-9H4a1 1 0 0 1-1-2c0-1 .5-1.5 1.5-1.5H15V7M14 12v.1',
} as const

export type IconName = keyof typeof shapes

/** Decorates the text next to it. It has no meaning alone, so screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
      <path
        d={shapes[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  )
}
