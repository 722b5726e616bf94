import type { DriverFactory } from '../channel/driver.ts';
import type { DriverConfig } from './plant-config.ts';

/** A device that several drivers are configured to use. */
export interface SharedDevice {
  readonly driverPids: readonly string[];
  /** What may be wrong with it, in a sentence. */
  readonly warning: string;
}

/**
 * Returns each device that several drivers are configured to use, although it may serve only one of them.
 *
 * It is a hint: many network devices take several connections.
 */
export function listSharedDevices(
  factories: readonly DriverFactory[],
  drivers: readonly DriverConfig[],
): readonly SharedDevice[] {
  const usersOf = new Map<
    string,
    { readonly endpoint: string; readonly isLine: boolean; readonly pids: string[] }
  >();
  for (const { pid, type, settings } of drivers) {
    const factory = factories.find((one) => one.type === type);
    const device = factory?.findExclusiveDevice?.(settings);
    if (factory === undefined || device === undefined) continue;
    const { name, isLine } = device;
    const users = usersOf.get(name) ?? { endpoint: factory.describe(settings), isLine, pids: [] };
    users.pids.push(pid);
    usersOf.set(name, users);
  }
  return [...usersOf.values()].flatMap(({ endpoint, isLine, pids }) =>
    pids.length > 1 ? [{ driverPids: pids, warning: describe(endpoint, isLine, pids) }] : [],
  );
}

function describe(endpoint: string, isLine: boolean, pids: readonly string[]): string {
  const drivers = `the drivers ${pids.join(', ')} all use ${endpoint}`;
  const reason = isLine
    ? 'only one of them can open the line'
    : 'each opens a connection of its own, and many devices take only one';
  return `${drivers}: ${reason}; one driver can serve any number of assets`;
}
