import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

const STORED = 'penstock.single-keys';

const chosen = signal(localStorage.getItem(STORED) !== 'false');

/** True if single-key shortcuts are enabled (WCAG 2.2, 2.1.4). */
export const hasSingleKeys: ReadonlySignal<boolean> = chosen;

/** Enables or disables single-key shortcuts; persists over reloads. */
export function chooseSingleKeys(next: boolean): void {
  chosen.value = next;
  localStorage.setItem(STORED, String(next));
}

/** True if a key is a single-key shortcut while these are disabled. */
export function isSwitchedOff({ key }: KeyboardEvent): boolean {
  return key.length === 1 && key !== ' ' && !chosen.value;
}
