import type { z } from '../../base/schema.ts';
import type { BundleSession } from '../bundle/bundle-host.ts';

/** Running bundle that serves a driver type. */
export interface DriverRegistration {
  readonly session: BundleSession;
  /** Schema of the settings of a connection. */
  readonly settings: z.ZodType;
}
