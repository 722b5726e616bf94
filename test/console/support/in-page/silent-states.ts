/**
 * Returns what says something by its colour that neither a word nor a shape says: states without words, what needs somebody
 * without a shape, and choices that look like what was not chosen.
 */
export function listSilentStates(): readonly string[] {
  const seen = (selector: string): readonly Element[] =>
    [...document.querySelectorAll(selector)].filter((place) =>
      place.checkVisibility({ visibilityProperty: true }),
    );
  const needing =
    '.state.attention, .state.fault, .state.info, .notice, .attention-indicator, .attention-list > li';
  return [
    ...seen('.state:not(svg)')
      .filter((place) => wordsNear(place) === '')
      .map((place) => `without words: ${place.outerHTML}`),
    ...seen(needing)
      .filter((place) => !place.matches('svg') && shapeNear(place) === null)
      .map((place) => `without a shape: ${place.outerHTML}`),
    ...seen('[aria-pressed=true], [aria-current]')
      .filter((place) => !isMarked(place))
      .map((place) => `not marked: ${place.outerHTML}`),
  ];
}

// A shape alone stands before its words.
function wordsNear(place: Element): string {
  return (place.parentElement?.textContent ?? '').trim();
}

function shapeNear(place: Element): Element | null {
  return (
    place.querySelector('svg') ??
    place.closest('li, td, p, .cell, .notice, form, header')?.querySelector('svg') ??
    null
  );
}

/** Whether what is chosen has a wider edge or bolder letters. */
function isMarked(place: Element): boolean {
  const style = getComputedStyle(place.closest('li:has([aria-current=true])') ?? place);
  const edges = [style.borderTopWidth, style.borderLeftWidth, style.borderBottomWidth];
  return edges.some((width) => Number.parseFloat(width) >= 2) || Number(style.fontWeight) >= 600;
}
