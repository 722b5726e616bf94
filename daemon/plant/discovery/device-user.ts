import { realpath } from 'node:fs/promises';

import { Conflict } from '../../base/errors.ts';
import type { DriverFactory, ExclusiveDevice } from '../../channel/driver.ts';
import type { AssetRegistry, ConfiguredConnection } from '../asset/asset-registry.ts';

/** Device of settings, and the configured connection to it. */
export interface DeviceUse {
  /** Undefined: the driver type shares its devices. */
  readonly device: ExclusiveDevice | undefined;
  /** Connection of the same driver type to the same device; undefined: none is configured. */
  readonly user: ConfiguredConnection | undefined;
}

/**
 * Finds the configured connection to the device of some settings, so that the device is not opened twice.
 *
 * @param settings settings that the schema of the driver type has checked
 * @throws {Conflict} `DEVICE_IN_USE` if a driver of another type uses the line
 */
export async function findDeviceUser(
  registry: AssetRegistry,
  factory: DriverFactory,
  settings: unknown,
): Promise<DeviceUse> {
  const device = await resolve(factory.findExclusiveDevice?.(settings));
  const user = device === undefined ? undefined : await findUser(registry, device);
  if (user === undefined || user.config.type === factory.type) return { device, user };
  // A network device can serve several drivers.
  if (device?.isLine !== true) return { device, user: undefined };
  const detail = `driver "${user.config.pid}" of type ${user.config.type} uses ${user.endpoint}`;
  throw new Conflict({ code: 'DEVICE_IN_USE', detail });
}

async function findUser(
  registry: AssetRegistry,
  device: ExclusiveDevice,
): Promise<ConfiguredConnection | undefined> {
  for (const configured of registry.listConnections()) {
    const factory = registry.findFactory(configured);
    const own = await resolve(factory?.findExclusiveDevice?.(configured.config.settings));
    if (own?.name === device.name) return configured;
  }
  return undefined;
}

/** A line can have several names; all of them resolve to one file. */
async function resolve(device: ExclusiveDevice | undefined): Promise<ExclusiveDevice | undefined> {
  if (device?.isLine !== true) return device;
  // A missing file has one name.
  return { ...device, name: await realpath(device.name).catch(() => device.name) };
}
