import type { DriverFactory } from '../../../channel/driver.ts';
import type { DriverConfig } from '../plant-config.ts';

/** A device that several drivers are configured to use. */
export interface SharedDevice {
  readonly driverPids: readonly string[];
  readonly endpoint: string;
  /** A serial line, which only one program can open. */
  readonly isLine: boolean;
}

/** Maximum number of drivers that are named: each of them has the sentence. */
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
 * Describes the possible problem of a shared device in a sentence.
 *
 * @param reader absent: every driver is named. Otherwise hidden drivers are only counted, and the endpoint is
 *   that of its own driver.
 */
export function describeSharedDevice(
  { driverPids, endpoint, isLine }: SharedDevice,
  reader?: Reader,
): string {
  const isKnown = (pid: string): boolean => reader === undefined || pid === reader.pid || reader.mayKnow(pid);
  const others = driverPids.length - 1;
  const count = others === 1 ? 'another driver uses' : `${others} other drivers use`;
  const drivers = driverPids.every(isKnown)
    ? `the drivers ${nameSome(driverPids)} all use ${endpoint}`
    : `${count} ${reader?.endpoint ?? endpoint} as well`;
  const reason = isLine
    ? 'only one of them can open the serial port'
    : 'each opens its own connection, and many devices accept only one';
  return `${drivers}: ${reason}; one driver can serve any number of assets`;
}

function nameSome(pids: readonly string[]): string {
  const named = pids.slice(0, MAXIMUM_NAMED).join(', ');
  const others = pids.length - MAXIMUM_NAMED;
  return others > 0 ? `${named} and ${others} more` : named;
}
