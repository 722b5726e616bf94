import type { Channel } from '../channel/channel.ts';
import type { DriverFactory } from '../channel/driver.ts';
import { BridgedDriver } from './bridged-driver.ts';
import type { DriverSchemas } from './driver-declaration.ts';
import type { DriverLinks } from './driver-links.ts';
import type { DriverRegistration } from './driver-registration.ts';

interface BridgedFactoryOptions {
  readonly type: string;
  readonly schemas: DriverSchemas;
  readonly links: DriverLinks;
  /** The bundle that serves the kind now. */
  readonly findOffer: () => DriverRegistration | undefined;
}

/** Makes a kind of driver whose connections a bundle serves, whenever it runs. */
export function createBridgedFactory({
  type,
  schemas,
  links,
  findOffer,
}: BridgedFactoryOptions): DriverFactory {
  return {
    type,
    configSchema: schemas.settings,
    addressSchema: schemas.address,
    // Settings of a bundle mean nothing to the gateway; what of them may be shown is not known.
    describe: () => `bundle driver ${type}`,
    checkChannel: (_channel: Channel) => [],
    create: (settings, { clock }) => new BridgedDriver({ type, settings, links, findOffer, clock }),
  };
}
