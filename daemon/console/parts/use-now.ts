import { signal } from '@preact/signals';

const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);

/** Returns the time of the browser in milliseconds since the epoch, and shows it anew each second. */
export function useNow(): number {
  return now.value;
}
