import type { z } from '../../base/schema.ts';
import type { BundleSession } from '../bundle/bundle-host.ts';

/** A running bundle that serves a kind of driver. */
export interface DriverRegistration {
  readonly session: BundleSession;
  /** Schema of the settings of a connection. */
  readonly settings: z.ZodType;
}
