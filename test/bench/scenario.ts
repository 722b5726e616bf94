import type { Bench } from './bench.ts';
import type { Places } from './measured.ts';

/** A bound of a figure. */
export type Bound = { readonly atMost: number } | { readonly atLeast: number };

/** One line of the table. */
export interface Line {
  /** Number of the requirement; absent when the figure belongs to none. */
  readonly row?: number;
  readonly name: string;
  /** The measured value, with its unit. */
  readonly value: string;
  /** The reference for the value, measured in the same run. */
  readonly floor?: string;
  /**
   * The figure that is compared with the target, most often a ratio of value and floor, of each round; their median counts.
   * A count has one round.
   */
  readonly rounds: readonly number[];
  /** A count or a size, which other programs on the machine do not change. */
  readonly isUntimed?: boolean;
  /** Made of processor time, which others do not use up: of what they took, only the time of the hypervisor counts. */
  readonly isProcessorTime?: boolean;
  /** Unit of the figure and its bounds; `×` for a ratio. */
  readonly unit: string;
  /** Beyond it is a defect. */
  readonly gate?: Bound;
  /** The target. */
  readonly goal?: Bound;
}

/** A figure of one version, measured once. */
export interface Reading {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly better: 'LESS' | 'MORE';
}

/** Measures one version for a moment; each call returns the same readings. */
export type Measurement = () => Promise<readonly Reading[]>;

/** A benchmark that can run on its own. */
export interface Scenario {
  /** That of its file in `scenarios`. */
  readonly name: string;
  /** What it measures, from `measured.ts`; the code that it imports and the programs next to it need no mention. */
  readonly measures: Places;
  run(bench: Bench): Promise<readonly Line[]>;
  /**
   * Starts a gateway of the version that the bench has, warms it up, and returns what can be measured of it in turn with
   * another version. Absent where two gateways side by side make no sense.
   */
  prepare?(bench: Bench): Promise<readonly Measurement[]>;
}

/** A benchmark that can measure two versions in turn. */
export type ComparableScenario = Scenario & Required<Pick<Scenario, 'prepare'>>;

/** Whether a benchmark can measure two versions in turn. */
export function isComparable(scenario: Scenario): scenario is ComparableScenario {
  return scenario.prepare !== undefined;
}
