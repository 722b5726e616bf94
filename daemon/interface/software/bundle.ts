/** States of a bundle as in OSGi, and FAILED for one that should run and does not. */
export const BUNDLE_STATES = ['INSTALLED', 'RESOLVED', 'STARTING', 'ACTIVE', 'STOPPING', 'FAILED'] as const;
export type BundleState = (typeof BUNDLE_STATES)[number];

/** Lines that the gateway keeps of what a bundle wrote. */
export const MAXIMUM_BUNDLE_LINES = 500;
