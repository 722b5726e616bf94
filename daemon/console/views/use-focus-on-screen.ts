import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Keeps the element with the focus on the screen when content arrives above it, unless the page was scrolled in that frame. */
export function useFocusOnScreen(page: RefObject<HTMLElement>): void {
  useEffect(() => {
    const { current } = page;
    if (current === null) return undefined;
    let isScrolled = false;
    const observer = new IntersectionObserver((entries) => {
      const entry = entries.at(-1);
      // A click outside of all controls removes the focus without a new target.
      if (entry === undefined || entry.target !== document.activeElement) return;
      if (!entry.isIntersecting && !isScrolled) entry.target.scrollIntoView({ block: 'nearest' });
    });
    const onScroll = (): void => {
      isScrolled = true;
      // The observer is notified at the end of this frame.
      requestAnimationFrame(() => requestAnimationFrame(() => (isScrolled = false)));
    };
    const onFocus = ({ target }: FocusEvent): void => {
      observer.disconnect();
      if (target instanceof Element && target !== current) observer.observe(target);
    };
    // What scrolls can be inside of the page.
    current.addEventListener('scroll', onScroll, true);
    current.addEventListener('focusin', onFocus);
    return () => {
      observer.disconnect();
      current.removeEventListener('scroll', onScroll, true);
      current.removeEventListener('focusin', onFocus);
    };
  }, [page]);
}
