/** For so many days the two logs tell all that changed. */
export const daysKept = 90

/** In hours: days are shorter and longer where clocks are changed, and the border would go back over what was purged. */
const kept = `interval '${daysKept * 24} hours'`

/** SQL: before this instant, changes are not asked for. */
export const oldestChange = `now() - ${kept}`

/** SQL: of a row of the logs, whether nobody can ask for it any more, nor a statement that is under way. */
export const isForgotten = `changed_at < now() - ${kept} - interval '1 minute'`
