// Shows the times on the page in the reader's time zone, with the exact time in the title. Without this script the page
// shows them in UTC and names the zone. `data-relative` selects the form "2 hours ago" for times in the last 30 days.
const { lang } = document.documentElement
const local = new Intl.DateTimeFormat(lang, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
const exact = new Intl.DateTimeFormat(lang, { dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' })
const now = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }).format(0, 'second')
const ago = new Intl.RelativeTimeFormat(lang, { numeric: 'always' })
const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

for (const time of document.querySelectorAll('time[datetime]')) {
  const at = new Date(time.dateTime)
  time.title = exact.format(at)
  time.textContent = ('relative' in time.dataset && relativeTo(at)) || local.format(at)
}

/** @returns undefined if the time is 30 days old or older */
function relativeTo(at) {
  const seconds = (Date.now() - at.getTime()) / 1000
  if (seconds < 60) return now
  if (seconds >= 30 * 86_400) return undefined
  const [unit, size] = units.find(([, size]) => seconds >= size)
  return ago.format(-Math.floor(seconds / size), unit)
}
