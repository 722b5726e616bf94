import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** The rows of a long list that are near what is seen. */
export interface RowWindow {
  readonly first: number;
  /** Not shown any more. */
  readonly end: number;
}

// So that a flick of the wheel finds rows.
const BEYOND = 8;

/** Returns which rows of a list are near what is seen of the place that scrolls. */
export function useWindow(place: RefObject<HTMLElement>, count: number, rowHeight: number): RowWindow {
  const [seen, setSeen] = useState<RowWindow>({ first: 0, end: Math.ceil(innerHeight / rowHeight) });
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const look = (): void => {
      const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - BEYOND);
      const end = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + BEYOND;
      setSeen((before) => (before.first === first && before.end === end ? before : { first, end }));
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [place, rowHeight]);
  return { first: Math.min(seen.first, count), end: Math.min(seen.end, count) };
}
