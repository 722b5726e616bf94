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
  /** Returns the bundle that currently serves the kind. */
  readonly findRegistration: () => DriverRegistration | undefined;
}

/** Creates the factory of a kind of driver whose connections a bundle serves while it runs. */
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
    // The gateway does not know which settings of a bundle may be shown.
    describe: () => `bundle driver ${type}`,
    checkChannel: (_channel: Channel) => [],
    create: (settings, { clock }) => new BridgedDriver({ type, settings, links, findRegistration, clock }),
  };
}
