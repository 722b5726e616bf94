import type { StatusCode } from 'node-opcua-client';

import { toIndexRange } from '../value/index-range.ts';
import type { SendOptions } from './method-call.ts';
import type { OpcuaModule } from '../session/opcua-library.ts';
import { hasPlainStatus, nameStatus, severityOf } from '../value/status.ts';
import { createVariant } from '../value/variant.ts';
import type { NodeWrite } from './write-entry.ts';
import { createOpenFault, toStatusFault } from './write-outcome.ts';
import type { WriteFault } from './write-outcome.ts';

const VALUE_ATTRIBUTE = 13;
// The written value was accepted, but limited by the device (OPC 10000-4, 7.39.2).
const CLAMPED = 'GoodClamped';

/**
 * Writes nodes with one request.
 *
 * @returns the failure of each; undefined if the server confirmed it
 * @throws the errors of `OpcuaLink.call`
 */
export async function writeNodes(
  writes: readonly NodeWrite[],
  { link, session, signal, onSend }: SendOptions,
): Promise<readonly (WriteFault | undefined)[]> {
  const { WriteRequest, WriteResponse, Variant } = session.library;
  const { results } = await link.call(
    session,
    () => {
      const nodesToWrite = writes.map(({ nodeId, channel, variant }) => ({
        nodeId,
        attributeId: VALUE_ATTRIBUTE,
        ...toIndexRange(channel.address.indexRange),
        // Servers refuse times and statuses that they do not store, so none is sent.
        value: { value: createVariant(variant, Variant) },
      }));
      const request = new WriteRequest({ nodesToWrite });
      onSend();
      return request;
    },
    WriteResponse,
    { service: 'Write', counter: 'writes', signal },
  );
  return writes.map((write, position) => toFailure(write, results?.[position], session.library));
}

function toFailure(
  { nodeId }: NodeWrite,
  status: StatusCode | undefined,
  library: OpcuaModule,
): WriteFault | undefined {
  if (status === undefined) return createOpenFault(`${nodeId}: no result`);
  if (hasPlainStatus(status.value)) return undefined;
  const name = nameStatus(library, status.value);
  if (name === CLAMPED) {
    const message = `${nodeId}: the server limited the value and holds a different one (${name})`;
    const failure = { code: 'OPCUA_VALUE_CLAMPED', message, status: name } as const;
    return { failure, outcome: 'REFUSED', taken: {} };
  }
  if (severityOf(status.value) === 'GOOD') return undefined;
  return toStatusFault(name, `${nodeId}: ${name}`);
}
