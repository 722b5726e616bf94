import type { InvariantName } from '../world/invariants.ts';

/** A change that makes the product wrong in one way, which a simulated world has to see. */
export interface PlantedDefect {
  readonly name: string;
  /** Path from the root of the tree. */
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly search: string;
  readonly replace: string;
  /** Any of them may be the first that does not hold. */
  readonly invariants: readonly InvariantName[];
  /** Simulated hours after which it can be seen at all, and of each world; as short as others when absent. */
  readonly hours?: number;
  /** Why the world does not see it in time, in words; absent when it does. */
  readonly unseenBecause?: string;
}
