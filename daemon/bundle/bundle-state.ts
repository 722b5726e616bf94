import type { BundleState } from './bundle.ts';

/** What happens to a bundle that can be started. */
export type BundleOccurrence =
  /** It is wanted. */
  | 'START'
  /** It is wanted no longer. */
  | 'STOP'
  /** Its `activate` has succeeded. */
  | 'ACTIVATED'
  /** Its process is gone, or could not be made. */
  | 'ENDED'
  /** The pause after its end is over. */
  | 'PAUSED';

/** What is to be done about an occurrence. */
export type BundleEffect =
  | 'NONE'
  /** Make its process. */
  | 'SPAWN'
  /** End its process. */
  | 'TERMINATE'
  /** Ask the restart policy when, and whether, it is made again. */
  | 'PLAN_RESTART'
  /** Forget the restart that is planned. */
  | 'CANCEL_RESTART';

interface BundleTransition {
  readonly state: BundleState;
  readonly effect: BundleEffect;
}

type Transitions = Readonly<Partial<Record<BundleOccurrence, BundleTransition>>>;

const TRANSITIONS: Readonly<Record<BundleState, Transitions>> = {
  INSTALLED: { START: { state: 'STARTING', effect: 'SPAWN' } },
  RESOLVED: {},
  STARTING: {
    ACTIVATED: { state: 'ACTIVE', effect: 'NONE' },
    ENDED: { state: 'FAILED', effect: 'PLAN_RESTART' },
    STOP: { state: 'STOPPING', effect: 'TERMINATE' },
  },
  ACTIVE: {
    ENDED: { state: 'FAILED', effect: 'PLAN_RESTART' },
    STOP: { state: 'STOPPING', effect: 'TERMINATE' },
  },
  STOPPING: { ENDED: { state: 'INSTALLED', effect: 'NONE' } },
  FAILED: {
    START: { state: 'STARTING', effect: 'SPAWN' },
    PAUSED: { state: 'STARTING', effect: 'SPAWN' },
    STOP: { state: 'INSTALLED', effect: 'CANCEL_RESTART' },
  },
};

/**
 * Decides what becomes of a bundle.
 *
 * @returns the next state and what has to be done; what means nothing in a state leaves it as it is
 */
export function transition(state: BundleState, occurrence: BundleOccurrence): BundleTransition {
  return TRANSITIONS[state][occurrence] ?? { state, effect: 'NONE' };
}
