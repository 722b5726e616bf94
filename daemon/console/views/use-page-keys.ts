import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

import { goTo } from '../parts/route.ts';
import { isSwitchedOff } from '../parts/single-keys.ts';
import { PAGES } from './pages.ts';

interface PageKeys {
  /** Main element of the current page. */
  readonly place: RefObject<HTMLElement>;
  readonly onHelp: () => void;
  readonly onSearch: () => void;
}

/**
 * Keyboard shortcuts of all pages: `g` and a letter open a page, `/` and Ctrl+K search, `f` focuses the filter of the page, `?` lists
 * the shortcuts.
 *
 * Inactive in fields, in dialogs, and while disabled; Ctrl+K also works in fields.
 */
export function usePageKeys({ place, onHelp, onSearch }: PageKeys): void {
  useEffect(() => {
    let isJumping = false;
    const onKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey } = event;
      const target = event.composedPath()[0];
      if (isSearchKey(event) && !isIn(target, 'dialog')) {
        event.preventDefault();
        onSearch();
        return;
      }
      if (ctrlKey || metaKey || altKey || isTaken(target) || isSwitchedOff(event)) return;
      const page = isJumping ? PAGES.find((candidate) => candidate.key === key) : undefined;
      isJumping = key === 'g';
      if (page !== undefined) {
        goTo([page.name]);
        place.current?.focus();
        return;
      }
      if (key === '?') onHelp();
      if (key === '/') {
        // The slash is not part of the search text.
        event.preventDefault();
        onSearch();
      }
      const filter = key === 'f' ? findFilter(place.current) : undefined;
      if (filter === undefined) return;
      event.preventDefault();
      filter.focus();
      filter.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [place, onHelp, onSearch]);
}

/** Ctrl+K, or Command+K on a Mac; an editor that uses it itself keeps it. */
function isSearchKey({ key, ctrlKey, metaKey, altKey, shiftKey, defaultPrevented }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !shiftKey && !defaultPrevented;
}

// Elements in a shadow root, for example the configuration editor, are only in the event path.
function isTaken(target: EventTarget | undefined): boolean {
  return isIn(target, 'input, select, textarea, [contenteditable], dialog');
}

function isIn(target: EventTarget | undefined, selector: string): boolean {
  return target instanceof HTMLElement && target.closest(selector) !== null;
}

function findFilter(place: HTMLElement | null): HTMLInputElement | undefined {
  const fields = [...(place?.querySelectorAll<HTMLInputElement>('input[type=search]') ?? [])];
  return fields.find((field) => !field.disabled && field.checkVisibility());
}
