import type { Channel } from '../../daemon/channel/channel.ts';
import type { Reading } from '../../daemon/channel/driver.ts';
import { parseFieldPath } from './field-path.ts';
import { parseIndexRange } from './index-range.ts';
import type { OpcuaAddress } from './opcua-address.ts';
import type { OpcuaConfig } from './opcua-config.ts';
import type { OpcuaModule } from './opcua-library.ts';
import { toReading } from './reading.ts';
import type { DataValueLike } from './reading.ts';
import { nameStatus } from './status.ts';

/**
 * Turns values of a node into readings of its channel.
 *
 * @param nowMs milliseconds since the epoch, for values without a timestamp
 */
export type ChannelReader = (value: DataValueLike, nowMs: number) => Reading;

/** Creates the reader of a channel; what its address says is parsed once. */
export function createChannelReader(
  { address, valueType }: Channel<OpcuaAddress>,
  { config, library }: { readonly config: OpcuaConfig; readonly library: OpcuaModule },
): ChannelReader {
  const options = {
    valueType,
    range: address.indexRange === undefined ? undefined : parseIndexRange(address.indexRange),
    path: address.field === undefined ? undefined : parseFieldPath(address.field),
    nodeId: address.nodeId,
    acceptUncertain: config.acceptUncertain,
    nameStatus: (code: number) => nameStatus(library, code),
  };
  return (value, nowMs) => toReading(value, options, nowMs);
}
