/** Too many searches of developers are running. */
export function TooBusy() {
  return (
    <>
      <h1>The search is busy</h1>
      <p>Too many pages of this kind are open at the same time. Try again in a few seconds.</p>
    </>
  )
}
