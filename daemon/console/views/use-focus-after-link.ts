import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/**
 * Moves the focus to the page that a link opened by Enter, so that the keys of the page work. Links that change only the query, and
 * clicks, leave the focus where it is.
 */
export function useFocusAfterLink(place: RefObject<HTMLElement>): void {
  useEffect(() => {
    let from = pathOf(location.hash);
    let isByKey = false;
    const onKey = ({ key, target }: KeyboardEvent): void => {
      isByKey = key === 'Enter' && target instanceof Element && target.closest('a[href^="#/"]') !== null;
    };
    const onPointer = (): void => {
      isByKey = false;
    };
    const onHash = (): void => {
      const to = pathOf(location.hash);
      if (isByKey && to !== from) place.current?.focus();
      from = to;
      isByKey = false;
    };
    addEventListener('keydown', onKey, true);
    addEventListener('pointerdown', onPointer, true);
    addEventListener('hashchange', onHash);
    return () => {
      removeEventListener('keydown', onKey, true);
      removeEventListener('pointerdown', onPointer, true);
      removeEventListener('hashchange', onHash);
    };
  }, [place]);
}

function pathOf(hash: string): string {
  return hash.split('?')[0] ?? '';
}
