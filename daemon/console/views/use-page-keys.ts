import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

import { goTo } from '../parts/route.ts';
import { isSwitchedOff } from '../parts/single-keys.ts';
import { PAGES } from './pages.ts';

interface PageKeys {
  /** The part of the page that is another one at each place. */
  readonly place: RefObject<HTMLElement>;
  readonly onHelp: () => void;
}

/**
 * Has keys go from page to page: `g` and a letter to one, with the focus at its begin; `/` to its search field; `?` to the list of keys.
 *
 * Not while somebody types, or is asked something; and not while they are switched off.
 */
export function usePageKeys({ place, onHelp }: PageKeys): void {
  useEffect(() => {
    let isJumping = false;
    const onKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey } = event;
      if (ctrlKey || metaKey || altKey || isTaken(event.composedPath()[0]) || isSwitchedOff(event)) return;
      const target = isJumping ? PAGES.find((page) => page.key === key) : undefined;
      isJumping = key === 'g';
      if (target !== undefined) {
        goTo([target.name]);
        place.current?.focus();
      }
      if (key === '?') onHelp();
      const search = key === '/' ? findSearch(place.current) : undefined;
      if (search === undefined) return;
      // It is no part of what is searched for.
      event.preventDefault();
      search.focus();
      search.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [place, onHelp]);
}

// What lies in a shadow root, such as the editor of the configuration, is only on the path of the event.
function isTaken(target: EventTarget | undefined): boolean {
  const takers = 'input, select, textarea, [contenteditable], dialog';
  return target instanceof HTMLElement && target.closest(takers) !== null;
}

function findSearch(place: HTMLElement | null): HTMLInputElement | undefined {
  const fields = [...(place?.querySelectorAll<HTMLInputElement>('input[type=search]') ?? [])];
  return fields.find((field) => !field.disabled && field.checkVisibility());
}
