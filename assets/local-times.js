// Shows the times on the page in the reader's time zone, with the exact time in the title. Without this script the page
// shows them in UTC and names the zone. `data-relative` selects the form "2 hours ago" or "in 2 hours" for times within 30
// days. `data-seconds` adds the seconds.
const { lang } = document.documentElement
const minute = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
}
const local = new Intl.DateTimeFormat(lang, minute)
const precise = new Intl.DateTimeFormat(lang, { ...minute, second: '2-digit' })
const exact = new Intl.DateTimeFormat(lang, { dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' })
const now = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }).format(0, 'second')
const distance = new Intl.RelativeTimeFormat(lang, { numeric: 'always' })
const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

for (const time of document.querySelectorAll('time[datetime]')) {
  const at = new Date(time.dateTime)
  time.title = exact.format(at)
  time.textContent = ('relative' in time.dataset && relativeTo(at)) || absolute(time).format(at)
}

function absolute(time) {
  return 'seconds' in time.dataset ? precise : local
}

/** @returns undefined if the time is 30 days or more away */
function relativeTo(at) {
  const past = (Date.now() - at.getTime()) / 1000
  const seconds = Math.abs(past)
  if (seconds < 60) return now
  if (seconds >= 30 * 86_400) return undefined
  const [unit, size] = units.find(([, size]) => seconds >= size)
  return distance.format(-Math.sign(past) * Math.floor(seconds / size), unit)
}
