import type { Channel } from '../../daemon/channel/channel.ts';
import type { DriverContext, SubscribingDriver } from '../../daemon/channel/driver.ts';
import { isSubscribing } from '../../daemon/channel/driver.ts';
import type { ValueType } from '../../daemon/channel/value-type.ts';
import { addressSchema } from '../../drivers/opcua/opcua-address.ts';
import type { OpcuaAddress } from '../../drivers/opcua/opcua-address.ts';
import { configSchema } from '../../drivers/opcua/opcua-config.ts';
import { createOpcuaDriverFactory } from '../../drivers/opcua/opcua-driver.ts';
import { createDriverContext } from './driver-context.ts';
import { NAMESPACE } from './opcua-server-nodes.ts';

/** Creates a driver for a server without security, unless the settings require it. */
export function createOpcuaDriver(
  settings: { readonly endpointUrl: string } & Readonly<Record<string, unknown>>,
  context: Partial<DriverContext> & { readonly dataDirectory: string },
): SubscribingDriver<OpcuaAddress> {
  const config = configSchema.parse({ securityMode: 'NONE', ...settings });
  const driver = createOpcuaDriverFactory().create(config, createDriverContext(context));
  if (!isSubscribing(driver)) throw new TypeError('the driver reports no changes');
  return driver;
}

/** Creates a channel of the same name as a node of the server in `opcua-server-nodes.ts`. */
export function createOpcuaChannel(
  name: string,
  valueType: ValueType,
  address: Readonly<Record<string, unknown>> = {},
): Channel<OpcuaAddress> {
  return {
    name,
    type: 'READ_WRITE',
    valueType,
    scaleOffsetType: 'DEFINED_BY_VALUE_TYPE',
    valueScale: 1,
    valueOffset: 0,
    isEnabled: true,
    address: addressSchema.parse({ nodeId: `nsu=${NAMESPACE};s=${name}`, ...address }),
  };
}
