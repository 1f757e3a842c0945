/** What every form of ours carries: the CSRF token, and where it leads where that is not always the same. */
export function HiddenFields(props: {
  csrf: string
  request?: string | undefined
  page?: string | undefined
}) {
  return (
    <>
      <input type="hidden" name="_csrf" value={props.csrf} />
      {props.request && <input type="hidden" name="request" value={props.request} />}
      {props.page && <input type="hidden" name="page" value={props.page} />}
    </>
  )
}
