import type { Channel } from '../../../daemon/channel/channel.ts';
import type { DeviceAccess } from '../../../daemon/channel/access-reporting-driver.ts';
import { getNodeId } from '../value/node-id.ts';
import { ATTRIBUTES } from '../opcua-address.ts';
import type { OpcuaAddress } from '../opcua-address.ts';
import { InvalidResponse, ServiceRefused } from '../opcua-errors.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';
import { readAttributes } from '../session/read-attributes.ts';
import type { SessionLink } from '../session/read-attributes.ts';

/** The attribute UserAccessLevel: access rights of the session user (OPC 10000-3, 5.6.2). */
export const USER_ACCESS_LEVEL_ATTRIBUTE = 18;

// The lowest two bits are CurrentRead and CurrentWrite (OPC 10000-3, 8.57).
const ACCESSES = ['NONE', 'READ', 'WRITE', 'READ_WRITE'] as const;

/** Converts a UserAccessLevel; undefined if the value is invalid. */
export function toDeviceAccess(level: unknown): DeviceAccess | undefined {
  return typeof level === 'number' ? ACCESSES[level & 0b11] : undefined;
}

/** Returns the cached access rights of the session user. */
export function findDeviceAccess(
  session: OpcuaSession,
  channel: Channel<OpcuaAddress>,
): DeviceAccess | undefined {
  const nodeId = resolve(session, channel);
  if (nodeId === undefined) return undefined;
  return session.writeTypes.get(nodeId)?.access ?? session.deviceAccess.get(nodeId);
}

/**
 * Reads and caches the access rights of the session user, once per node and session. A refusal counts as not reported.
 *
 * @throws {ConnectionError} if the connection is lost
 */
export async function loadDeviceAccess(
  channels: readonly Channel<OpcuaAddress>[],
  asking: SessionLink,
): Promise<void> {
  const { session, signal } = asking;
  await session.namespaces.learn(
    channels.filter(isOfValue).map(({ address }) => getNodeId(address.nodeId)),
    signal,
  );
  const nodeIds = new Set(channels.map((channel) => resolve(session, channel)));
  const unknown = [...nodeIds]
    .filter((nodeId) => nodeId !== undefined)
    .filter((nodeId) => !session.deviceAccess.has(nodeId) && !session.writeTypes.has(nodeId));
  if (unknown.length === 0) return;
  const levels = await readLevels(unknown, asking);
  for (const [index, nodeId] of unknown.entries()) {
    session.deviceAccess.set(nodeId, toDeviceAccess(levels[index]));
  }
}

async function readLevels(nodeIds: readonly string[], asking: SessionLink): Promise<readonly unknown[]> {
  try {
    const attributeId = USER_ACCESS_LEVEL_ATTRIBUTE;
    return await readAttributes(
      nodeIds.map((nodeId) => ({ nodeId, attributeId })),
      asking,
    );
  } catch (error) {
    if (error instanceof ServiceRefused || error instanceof InvalidResponse) return [];
    throw error;
  }
}

function resolve(session: OpcuaSession, channel: Channel<OpcuaAddress>): string | undefined {
  return isOfValue(channel) ? session.namespaces.resolve(getNodeId(channel.address.nodeId)) : undefined;
}

/** True for the value of a variable: methods and other attributes have no such rights. */
function isOfValue({ address }: Channel<OpcuaAddress>): boolean {
  return address.method === undefined && ATTRIBUTES[address.attribute] === ATTRIBUTES.Value;
}
