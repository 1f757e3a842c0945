// Forms that use a passkey. Without this script they stay hidden, and the page says that a passkey needs it. The answer of the
// authenticator goes into the field `credential`, and the form is sent like any other.
const { browserSupportsWebAuthn, startAuthentication, startRegistration } = globalThis.SimpleWebAuthnBrowser

for (const hint of document.querySelectorAll('[data-passkey-hint]')) hint.hidden = true

for (const form of document.querySelectorAll('form[data-passkey]')) {
  const fault = form.querySelector('[data-passkey-fault]')
  const { passkey, options, unsupported, failed } = form.dataset
  form.hidden = false
  if (!browserSupportsWebAuthn()) show(fault, unsupported)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    fault.hidden = true
    const start = passkey === 'create' ? startRegistration : startAuthentication
    try {
      const credential = await start({ optionsJSON: JSON.parse(options) })
      form.elements.credential.value = JSON.stringify(credential)
    } catch {
      show(fault, failed)
      return
    }
    form.submit()
  })
}

function show(element, text) {
  element.textContent = text
  element.hidden = false
}
