import type { Bundle } from '../../interface/software/bundles.ts';
import { BUNDLE_STATES } from '../text/events.ts';
import { fill } from '../text/fill.ts';
import type { ShownState, Tone } from './connection-state.ts';

const TONES: Readonly<Record<Bundle['state'], Tone>> = {
  INSTALLED: 'none',
  RESOLVED: 'none',
  STARTING: 'info',
  ACTIVE: 'good',
  STOPPING: 'info',
  FAILED: 'fault',
};

/** Returns the state of a bundle. */
export function shownBundle(state: Bundle['state']): ShownState {
  return { tone: TONES[state], words: fill(BUNDLE_STATES[state]), isCurrent: true };
}

/** Returns the name of a bundle state; an unknown one is returned unchanged. */
export function bundleWords(state: string): string {
  return isBundleState(state) ? fill(BUNDLE_STATES[state]) : state;
}

function isBundleState(state: string): state is Bundle['state'] {
  return state in BUNDLE_STATES;
}
