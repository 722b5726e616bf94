import { MAXIMUM_CURVES } from './trend-curve.ts';

/** Colours of a plot, from the current design tokens. */
export interface TrendLook {
  readonly text: string;
  readonly soft: string;
  readonly hairline: string;
  readonly surface: string;
  readonly curves: readonly string[];
}

/** Dash pattern of each curve, so that curves are distinguishable without colours. */
export const DASHES: readonly (readonly number[])[] = [
  [],
  [8, 4],
  [2, 3],
  [12, 3, 2, 3],
  [5, 2],
  [10, 3, 2, 3, 2, 3],
];

/** Reads the computed colours of an element, light or dark. */
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
