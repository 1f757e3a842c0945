// The docs work without this script: then all languages of an example are shown. It switches between them, copies examples, and
// opens the search with a slash.
const key = 'latchkey-docs-language'
const root = document.documentElement

/** Storage throws if the browser blocks it. */
function stored() {
  try {
    return localStorage.getItem(key) ?? 'sh'
  } catch {
    return 'sh'
  }
}

// Before the page is shown, so that it does not jump.
root.dataset.tab = stored()

function choose(tab) {
  root.dataset.tab = tab
  try {
    localStorage.setItem(key, tab)
  } catch {
    // The choice lasts until the next page.
  }
  showChoice()
}

function showChoice() {
  for (const group of document.querySelectorAll('.languages')) {
    const tabs = group.dataset.has.split(' ')
    const shown = tabs.includes(root.dataset.tab) ? root.dataset.tab : tabs[0]
    for (const figure of group.querySelectorAll('figure')) figure.hidden = figure.dataset.tab !== shown
    for (const button of group.querySelectorAll('[data-choose]')) {
      button.setAttribute('aria-pressed', String(button.dataset.choose === shown))
    }
  }
}

function addCopyButtons() {
  if (!navigator.clipboard) return
  for (const figure of document.querySelectorAll('figure')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.setAttribute('aria-live', 'polite')
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(figure.querySelector('code').textContent)
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2000)
    })
    figure.querySelector('figcaption').append(button)
  }
}

document.addEventListener('DOMContentLoaded', () => {
  showChoice()
  addCopyButtons()
  for (const bar of document.querySelectorAll('.switch')) {
    bar.hidden = false
    bar.addEventListener('click', ({ target }) => {
      const button = target.closest('[data-choose]')
      if (!button) return
      // The examples above change their height. The one that was clicked stays where it is.
      const before = button.getBoundingClientRect().top
      choose(button.dataset.choose)
      scrollBy(0, button.getBoundingClientRect().top - before)
    })
  }
})

document.addEventListener('keydown', (event) => {
  const typing = event.target.closest?.('input, textarea, select, [contenteditable]')
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  const field = document.querySelector('.search input')
  field.focus()
  field.select()
})
