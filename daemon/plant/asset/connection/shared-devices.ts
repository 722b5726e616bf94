import { createFinding } from '../../../interface/finding.ts';
import type { Finding } from '../../../interface/finding.ts';
import type { DriverFactory } from '../../../channel/driver.ts';
import type { DriverConfig } from '../plant-config.ts';

/** A device that several drivers are configured to use. */
export interface SharedDevice {
  readonly driverPids: readonly string[];
  readonly endpoint: string;
  /** A serial line, which only one program can open. */
  readonly isLine: boolean;
}

/** Maximum number of named drivers: the sentence is part of the status of each of them. */
const MAXIMUM_NAMED = 10;

/** A reader of one driver, who may not see the others. */
interface Reader {
  readonly pid: string;
  readonly endpoint: string;
  readonly mayKnow: (driverPid: string) => boolean;
}

/**
 * Returns each device that several drivers are configured to use, although it may serve only one of them.
 *
 * It is a hint: many network devices accept several connections.
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
    pids.length > 1 ? [{ driverPids: pids, endpoint, isLine }] : [],
  );
}

/**
 * Describes the possible problem of a shared device.
 *
 * @param reader absent: every driver is named. Otherwise hidden drivers are only counted, and the endpoint is
 *   that of its own driver.
 */
export function describeSharedDevice(
  { driverPids, endpoint, isLine }: SharedDevice,
  reader?: Reader,
): Finding {
  const isKnown = (pid: string): boolean => reader === undefined || pid === reader.pid || reader.mayKnow(pid);
  const device = isLine ? 'SERIAL_PORT' : 'DEVICE';
  if (driverPids.every(isKnown)) {
    const drivers = driverPids.slice(0, MAXIMUM_NAMED);
    const more = driverPids.length - MAXIMUM_NAMED;
    return more > 0
      ? createFinding(`${device}_SHARED_BY_MANY`, { drivers, more, endpoint })
      : createFinding(`${device}_SHARED`, { drivers, endpoint });
  }
  const own = { endpoint: reader?.endpoint ?? endpoint };
  const count = driverPids.length - 1;
  return count === 1
    ? createFinding(`${device}_SHARED_WITH_ONE`, own)
    : createFinding(`${device}_SHARED_WITH_MORE`, { ...own, count });
}
