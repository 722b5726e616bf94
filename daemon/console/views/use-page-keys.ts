import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

import { goTo } from '../parts/route.ts';
import { isSwitchedOff } from '../parts/single-keys.ts';
import { PAGES } from './pages.ts';

interface PageKeys {
  /** Main element of the current page. */
  readonly place: RefObject<HTMLElement>;
  readonly onHelp: () => void;
}

/**
 * Keyboard shortcuts of all pages: `g` and a letter open a page, `/` focuses its search field, `?` lists the shortcuts.
 *
 * Inactive in fields, in dialogs, and while disabled.
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
      // The slash is not part of the search text.
      event.preventDefault();
      search.focus();
      search.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [place, onHelp]);
}

// Elements in a shadow root, for example the configuration editor, are only in the event path.
function isTaken(target: EventTarget | undefined): boolean {
  const takers = 'input, select, textarea, [contenteditable], dialog';
  return target instanceof HTMLElement && target.closest(takers) !== null;
}

function findSearch(place: HTMLElement | null): HTMLInputElement | undefined {
  const fields = [...(place?.querySelectorAll<HTMLInputElement>('input[type=search]') ?? [])];
  return fields.find((field) => !field.disabled && field.checkVisibility());
}
