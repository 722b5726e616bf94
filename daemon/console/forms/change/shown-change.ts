import { signal } from '@preact/signals';

import type { Difference } from '../difference.ts';

interface ShownChange {
  readonly snapshot: number;
  readonly differences: readonly Difference[];
}

const shown = signal<ShownChange | undefined>(undefined);

/** Stores the differences of the pending change that the page shows, for the notice after its end. */
export function noteShownChange(snapshot: number, differences: readonly Difference[]): void {
  shown.value = { snapshot, differences };
}

/** Returns the differences of a change that the page has shown; none of another one. */
export function findShownChange(snapshot: number): readonly Difference[] {
  return shown.value?.snapshot === snapshot ? shown.value.differences : [];
}
