/** Bundle states of OSGi, and FAILED for a bundle that should run but does not. */
export const BUNDLE_STATES = ['INSTALLED', 'RESOLVED', 'STARTING', 'ACTIVE', 'STOPPING', 'FAILED'] as const;
export type BundleState = (typeof BUNDLE_STATES)[number];

/** Maximum stored log lines of a bundle. */
export const MAXIMUM_BUNDLE_LINES = 500;
