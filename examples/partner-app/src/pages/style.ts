/** Added to Pico CSS. */
export const style = `
/* Pico gives buttons their own text colour. The focus ring always uses the text colour of the page. */
:root {
  --focus-ring: var(--pico-color);
}
:root :is(a, button, input, [tabindex]):focus-visible {
  outline: 2px solid var(--focus-ring);
  outline-offset: 2px;
  box-shadow: none;
}
td {
  overflow-wrap: anywhere;
}
/* On narrow screens each row of a table is a card, so that no horizontal scrolling is needed. */
@media (max-width: 640px) {
  .cards thead {
    display: block;
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
  }
  .cards,
  .cards tbody,
  .cards tr {
    display: block;
  }
  .cards tr {
    padding-block: 0.75rem;
    border-bottom: 1px solid var(--pico-muted-border-color);
  }
  .cards td {
    display: grid;
    grid-template-columns: 7rem 1fr;
    gap: 1rem;
    padding: 0.15rem 0;
    border: 0;
    background: none;
  }
  .cards td::before {
    content: attr(data-label);
    color: var(--pico-muted-color);
  }
}
`
