/** What every form of ours carries: the CSRF token, and the sealed request where there is one. */
export function HiddenFields({ csrf, request }: { csrf: string; request?: string | undefined }) {
  return (
    <>
      <input type="hidden" name="_csrf" value={csrf} />
      {request && <input type="hidden" name="request" value={request} />}
    </>
  )
}
