import type { BundleState } from '../../interface/software/bundle.ts';

/** Event that changes the state of a bundle. */
export type BundleOccurrence =
  /** A start is requested. */
  | 'START'
  /** A stop is requested, alone or as part of a restart. */
  | 'STOP'
  /** Its `activate` has succeeded. */
  | 'ACTIVATED'
  /** Its process exited or could not be started. */
  | 'ENDED'
  /** Its process exited after a stop that was part of a restart. */
  | 'ENDED_FOR_RESTART'
  /** The delay before its restart is over. */
  | 'PAUSED';

/** Action that a transition requires. */
export type BundleEffect =
  | 'NONE'
  /** Start its process. */
  | 'SPAWN'
  /** End its process. */
  | 'TERMINATE'
  /** Ask the restart policy whether and when to restart it. */
  | 'PLAN_RESTART'
  /** Cancel the planned restart. */
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
  STOPPING: {
    ENDED: { state: 'INSTALLED', effect: 'NONE' },
    ENDED_FOR_RESTART: { state: 'STARTING', effect: 'SPAWN' },
  },
  FAILED: {
    START: { state: 'STARTING', effect: 'SPAWN' },
    PAUSED: { state: 'STARTING', effect: 'SPAWN' },
    STOP: { state: 'INSTALLED', effect: 'CANCEL_RESTART' },
  },
};

/**
 * Decides the next state of a bundle.
 *
 * @returns the next state and the required action; an occurrence without a meaning in a state does not change it
 */
export function transition(state: BundleState, occurrence: BundleOccurrence): BundleTransition {
  return TRANSITIONS[state][occurrence] ?? { state, effect: 'NONE' };
}
