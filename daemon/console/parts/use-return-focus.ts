import { useLayoutEffect } from 'preact/hooks';

/**
 * Returns the focus to the control that opened a part of a page when that part is closed, unless the focus has gone elsewhere.
 *
 * @param shown distinguishes what the part shows in turn, each opened by a control of its own
 */
export function useReturnFocus(shown: unknown = ''): void {
  useLayoutEffect(() => {
    const opener = document.activeElement;
    return () => {
      // After the part is removed: until then, the focus is in it.
      queueMicrotask(() => {
        const isLost = document.activeElement === null || document.activeElement === document.body;
        if (isLost && opener instanceof HTMLElement) opener.focus();
      });
    };
  }, [shown]);
}
