import type { StatusCode, VariantOptions } from 'node-opcua-client';

import { createUnknownOutcome } from '../../daemon/channel/call-failure.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import { toIndexRange } from './index-range.ts';
import type { SendOptions } from './method-call.ts';
import { toStatusFailure } from './opcua-errors.ts';
import type { OpcuaModule } from './opcua-library.ts';
import { nameStatus, severityOf } from './status.ts';
import type { NodeWrite } from './write-entry.ts';
import { OUTCOME_UNKNOWN_CODE, leavesOutcomeOpen } from './write-outcome.ts';

const VALUE_ATTRIBUTE = 13;

/**
 * Writes nodes with one request.
 *
 * @returns for each, why it failed; undefined when the server confirmed it
 * @throws the errors of `OpcuaLink.call`
 */
export async function writeNodes(
  writes: readonly NodeWrite[],
  { link, session, signal, onSend }: SendOptions,
): Promise<readonly (ChannelFailure | undefined)[]> {
  const { WriteRequest, WriteResponse, Variant } = session.library;
  const { results } = await link.call(
    session,
    () => {
      const nodesToWrite = writes.map(({ nodeId, channel, variant }) => ({
        nodeId,
        attributeId: VALUE_ATTRIBUTE,
        ...toIndexRange(channel.address.indexRange),
        // Servers refuse times and states that they do not keep, so none is sent.
        value: { value: new Variant(variant as unknown as VariantOptions) },
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
): ChannelFailure | undefined {
  if (status === undefined) return createUnknownOutcome(OUTCOME_UNKNOWN_CODE, `${nodeId}: no result`);
  if (severityOf(status.value) === 'GOOD') return undefined;
  const name = nameStatus(library, status.value);
  const message = `${nodeId}: ${name}`;
  return leavesOutcomeOpen(name)
    ? createUnknownOutcome(OUTCOME_UNKNOWN_CODE, message)
    : toStatusFailure(name, message);
}
