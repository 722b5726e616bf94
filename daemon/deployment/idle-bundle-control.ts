import type { BundleControl } from '../bundle/bundle.ts';

/** Runs no bundle: packages are kept and listed, their bundles stay INSTALLED. */
export const idleBundleControl: BundleControl = {
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  stateOf: () => 'INSTALLED',
};
