import type { Channel } from '../../daemon/channel/channel.ts';
import { parseFieldPath } from './field-path.ts';
import { parseIndexRange } from './index-range.ts';
import type { OpcuaAddress } from './opcua-address.ts';
import type { OpcuaConfig } from './opcua-config.ts';
import type { OpcuaSession } from './opcua-session.ts';
import { toReading } from './reading.ts';
import type { ChannelReader } from './reading.ts';
import { nameStatus } from './status.ts';
import type { VariantLike } from './variant.ts';

/** Creates the reader of a channel; what its address says is parsed once. */
export function createChannelReader(
  { address, valueType }: Channel<OpcuaAddress>,
  { config, session }: { readonly config: OpcuaConfig; readonly session: OpcuaSession },
): ChannelReader {
  const { library, heldForms, structures } = session;
  const options = {
    valueType,
    range: address.indexRange === undefined ? undefined : parseIndexRange(address.indexRange),
    path: address.field === undefined ? undefined : parseFieldPath(address.field),
    nodeId: address.nodeId,
    acceptUncertain: config.acceptUncertain,
    findTypeFault: (variant: VariantLike) => structures.findFault(variant),
    nameStatus: (code: number) => nameStatus(library, code),
  };
  const read: ChannelReader = (value, nowMs) => toReading(value, options, nowMs);
  // Other values need no form to be compared.
  return valueType === 'STRING' ? heldForms.watch(read, address, options.path) : read;
}
