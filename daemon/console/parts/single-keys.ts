import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

const STORED = 'penstock.single-keys';

const chosen = signal(localStorage.getItem(STORED) !== 'false');

/** Whether keys that are one sign alone do something outside of fields (WCAG 2.2, 2.1.4). */
export const hasSingleKeys: ReadonlySignal<boolean> = chosen;

/** Switches keys that are one sign alone on or off, also after a reload. */
export function chooseSingleKeys(next: boolean): void {
  chosen.value = next;
  localStorage.setItem(STORED, String(next));
}

/** Whether a key is one sign alone while these are switched off. */
export function isSwitchedOff({ key }: KeyboardEvent): boolean {
  return key.length === 1 && key !== ' ' && !chosen.value;
}
