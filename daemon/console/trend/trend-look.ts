import { MAXIMUM_CURVES } from './trend-curve.ts';

/** Colours of a plot, as the tokens have them now. */
export interface TrendLook {
  readonly text: string;
  readonly soft: string;
  readonly hairline: string;
  readonly surface: string;
  readonly curves: readonly string[];
}

/** Lengths of line and space of each curve, so that they are told apart without colours too. */
export const DASHES: readonly (readonly number[])[] = [
  [],
  [8, 4],
  [2, 3],
  [12, 3, 2, 3],
  [5, 2],
  [10, 3, 2, 3, 2, 3],
];

/** Reads the colours that an element has, in light or in dark. */
export function readLook(place: Element): TrendLook {
  const style = getComputedStyle(place);
  const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    text: token('text'),
    soft: token('soft'),
    hairline: token('hairline'),
    surface: token('surface'),
    curves: Array.from({ length: MAXIMUM_CURVES }, (_curve, index) => token(`curve-${index + 1}`)),
  };
}
