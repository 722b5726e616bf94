import type { z } from '../base/schema.ts';
import type { BundleSession } from '../bundle/bundle-host.ts';

/** A bundle that serves a kind of driver now. */
export interface DriverRegistration {
  readonly session: BundleSession;
  /** What the settings of a connection have to fit now. */
  readonly settings: z.ZodType;
}
