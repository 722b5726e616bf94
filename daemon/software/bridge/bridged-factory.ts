import type { Channel } from '../../channel/channel.ts';
import type { DriverFactory } from '../../channel/driver.ts';
import { BridgedDriver } from './bridged-driver.ts';
import type { DriverSchemas } from './driver-declaration.ts';
import type { DriverLinks } from './driver-links.ts';
import type { DriverRegistration } from './driver-registration.ts';

interface BridgedFactoryOptions {
  readonly type: string;
  readonly schemas: DriverSchemas;
  readonly links: DriverLinks;
  /** Returns the bundle that currently serves the driver type. */
  readonly findRegistration: () => DriverRegistration | undefined;
}

/** Creates the factory of a driver type whose connections a bundle serves while it runs. */
export function createBridgedFactory({
  type,
  schemas,
  links,
  findRegistration,
}: BridgedFactoryOptions): DriverFactory {
  return {
    type,
    isOfBundle: true,
    configSchema: schemas.settings,
    addressSchema: schemas.address,
    // Which settings of a bundle may be shown is unknown.
    describe: () => `bundle driver ${type}`,
    checkChannel: (_channel: Channel) => [],
    create: (settings, { clock }) => new BridgedDriver({ type, settings, links, findRegistration, clock }),
  };
}
