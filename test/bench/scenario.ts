import type { Bench } from './bench.ts';

/** A bound of a figure. */
export type Bound = { readonly atMost: number } | { readonly atLeast: number };

/** One line of the table. */
export interface Line {
  /** Number of the requirement. */
  readonly row: number;
  readonly name: string;
  /** The measured value, with its unit. */
  readonly value: string;
  /** The reference for the value, measured in the same run. */
  readonly floor?: string;
  /** The figure that is compared with the target: most often a ratio of value and floor. */
  readonly figure: number;
  /** Unit of the figure and its bounds; `×` for a ratio. */
  readonly unit: string;
  /** Beyond it is a defect. */
  readonly gate?: Bound;
  /** The target. */
  readonly goal?: Bound;
}

/** A benchmark that can run on its own. */
export interface Scenario {
  readonly name: string;
  run(bench: Bench): Promise<readonly Line[]>;
}
