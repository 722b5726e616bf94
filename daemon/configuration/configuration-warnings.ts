import { describeSharedDevice, listSharedDevices } from '../plant/asset/connection/shared-devices.ts';
import { listUnreadable } from '../plant/asset/unreadable-secrets.ts';
import type { Finding } from '../interface/finding.ts';
import type { DriverFactory } from '../channel/driver.ts';
import { listBundleWarnings } from './bundle-section.ts';
import type { ConfigurableBundle } from './bundle-section.ts';
import type { ManagedConfiguration } from './managed-document.ts';

/**
 * Lists possible mistakes in a configuration.
 *
 * @param factories all driver types
 * @param known installed bundles that have settings
 */
export function listConfigurationWarnings(
  { plant, bundles }: ManagedConfiguration,
  factories: readonly DriverFactory[],
  known: readonly ConfigurableBundle[] = [],
): readonly Finding[] {
  const devices = listSharedDevices(factories, plant.drivers);
  return [
    ...listUnreadable(plant),
    ...devices.map((device) => describeSharedDevice(device)),
    ...listBundleWarnings(known, bundles),
  ];
}
