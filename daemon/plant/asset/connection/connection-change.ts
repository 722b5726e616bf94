import { isDeepStrictEqual } from 'node:util';

import type { DriverFactory } from '../../../channel/driver.ts';
import type { DriverConfig } from '../plant-config.ts';

/** Effect of a new configuration on a connection. */
export type ConnectionChange = 'NONE' | 'ADAPTED' | 'RESTARTED';

/**
 * Decides the effect on a connection: it stays, its driver applies the new settings without reconnecting, or it is closed and
 * opened again.
 */
export function findConnectionChange(
  factories: readonly DriverFactory[],
  before: DriverConfig,
  after: DriverConfig,
): ConnectionChange {
  if (isDeepStrictEqual(before, after)) return 'NONE';
  const { settings: previous, ...head } = before;
  const { settings: next, ...nextHead } = after;
  if (!isDeepStrictEqual(head, nextHead)) return 'RESTARTED';
  const factory = factories.find(({ type }) => type === after.type);
  return factory?.canAdapt?.(previous, next) === true ? 'ADAPTED' : 'RESTARTED';
}
