/** Returns what has the focus, and why that is not seen. */
export function readFocus(): { readonly name: string; readonly fault: string } {
  let place = document.activeElement;
  // An editor has a tree of its own.
  while (place?.shadowRoot?.activeElement) place = place.shadowRoot.activeElement;
  // Behind the last place the focus is in the browser itself.
  if (place === null || place === document.body) return { name: '', fault: '' };
  return { name: nameOf(place), fault: faultOf(place) };
}

function nameOf(place: Element): string {
  const label =
    place.getAttribute('aria-label') ?? place.closest('label')?.textContent ?? place.textContent ?? '';
  const own = place.id === '' ? null : document.querySelector(`label[for="${place.id}"]`);
  return (own?.textContent ?? label).trim();
}

function faultOf(place: Element): string {
  const box = place.getBoundingClientRect();
  // Some draw it around what they stand in.
  const style = getComputedStyle(place.closest('.cm-focused') ?? place);
  if (style.outlineStyle === 'none' || Number.parseFloat(style.outlineWidth) < 2) return 'it has no outline';
  const [left, top] = [Math.max(0, box.left), Math.max(0, box.top)];
  const [right, bottom] = [Math.min(innerWidth, box.right), Math.min(innerHeight, box.bottom)];
  if (right <= left || bottom <= top) return 'it is not on the screen';
  // Something of it must not be hidden: of a large one, more than its corners.
  const shares = [0.1, 0.3, 0.5, 0.7, 0.9];
  const isSeen = shares.some((across) =>
    shares.some((down) => {
      const root = place.getRootNode() as Document | ShadowRoot;
      const seen = root.elementFromPoint(left + across * (right - left), top + down * (bottom - top));
      return place.contains(seen);
    }),
  );
  return isSeen ? '' : 'something lies over it';
}
