import { EDITOR } from '../text/editor.ts';
import { fill } from '../text/fill.ts';

/** Describes the numbers from a minimum to a maximum in the current language; infinite: no bound. Empty without both. */
export function describeRange(minimum: number, maximum: number): string {
  const [from, to] = [minimum, maximum];
  if (from === -Infinity && to === Infinity) return '';
  if (from === -Infinity) return fill(EDITOR.atMost, { to });
  return to === Infinity ? fill(EDITOR.atLeast, { from }) : fill(EDITOR.range, { from, to });
}
