import { signal } from '@preact/signals';

const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);

/** Returns the browser's time in milliseconds since the epoch; rerenders every second. */
export function useNow(): number {
  return now.value;
}
