import type { ComponentChildren } from 'preact'

/** What every form of ours carries: the CSRF token, and the sealed request where there is one. */
export function HiddenFields({ csrf, request }: { csrf: string; request?: string | undefined }) {
  return (
    <>
      <input type="hidden" name="_csrf" value={csrf} />
      {request && <input type="hidden" name="request" value={request} />}
    </>
  )
}

/** What kept a form from being done, told at once to who cannot see it: a field names it in `aria-describedby`. */
export function FormFault({ id, children }: { id: string; children: ComponentChildren }) {
  return (
    // The page is a new one, and a live region speaks only when it changes: so the focus is here.
    <p class="fault" role="alert" id={id} tabIndex={-1} autofocus>
      {children}
    </p>
  )
}
