/** Days before the end of a consent at which the user gets a mail. A consent that is valid for no more days gets none. */
export const noticeDays = 7

/**
 * SQL for the days for which a consent that a user gives now is valid. Null: it has no end. The partner's own setting
 * replaces the default of the deployment. `partner` is the alias of its row, `byDefault` the default.
 */
export const lifetimeDays = (partner: string, byDefault: string) =>
  `coalesce(${partner}.grant_lifetime_days, ${byDefault}::integer)`

/** SQL for the end of a consent that is valid for `days` from now on. */
export const endAfter = (days: string) => `now() + make_interval(days => ${days})`

/** SQL for when the user gets a mail about that end. */
export const noticeAfter = (days: string) =>
  `CASE WHEN ${days} > ${noticeDays} THEN now() + make_interval(days => ${days} - ${noticeDays}) END`

/**
 * SQL: whether the consent of a live grant would end later, by more than the interval `by`, if the user gave it again now.
 * `grant` and `partner` are the aliases of the rows, `byDefault` the default of the deployment.
 */
export const isRenewable = (grant: string, partner: string, byDefault: string, by: string) =>
  `(${grant}.expires_at IS NOT NULL
        AND coalesce(${grant}.expires_at + ${by} < ${endAfter(lifetimeDays(partner, byDefault))}, true))`
