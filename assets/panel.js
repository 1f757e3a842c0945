// The key / puts the cursor into the search field.
const field = document.querySelector('[data-search]')

document.addEventListener('keydown', (event) => {
  const { target, key, ctrlKey, metaKey, altKey } = event
  const isTyping =
    target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]')
  if (key !== '/' || ctrlKey || metaKey || altKey || isTyping || !field) return
  event.preventDefault()
  field.focus()
  field.select()
})

// A menu closes with Escape, and with a click elsewhere.
const menus = document.querySelectorAll('details.shell-who, details.shell-menu')
document.addEventListener('click', ({ target }) => {
  for (const menu of menus) if (target instanceof Node && !menu.contains(target)) menu.open = false
})
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') for (const menu of menus) menu.open = false
})
