import type { DataValue, ReadValueId } from 'node-opcua-client';
import { toFailure } from '../../daemon/channel/call-failure.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { PreparedRead, Reading } from '../../daemon/channel/driver.ts';
import { getNodeId } from './value/node-id.ts';
import type { NodeIdText } from './value/node-id.ts';
import { ATTRIBUTES, parseFieldPath } from './opcua-address.ts';
import type { OpcuaAddress } from './opcua-address.ts';
import type { OpcuaConfig } from './opcua-config.ts';
import { InvalidResponse } from './opcua-errors.ts';
import type { OpcuaLink } from './session/opcua-link.ts';
import type { OpcuaSession } from './session/opcua-session.ts';
import { toReading } from './value/reading.ts';
import type { ChannelReader } from './value/reading.ts';
import { isRequestTooLarge } from './session/request-parts.ts';
import { toIndexRange, parseIndexRange } from './value/index-range.ts';
import { nameStatus } from './value/status.ts';
import type { VariantLike } from './value/variant.ts';

export interface ReadOptions {
  readonly link: OpcuaLink;
  readonly config: OpcuaConfig;
  readonly clock: { epochMs(): number };
}

interface Target {
  /** Index of the channel in the read. */
  readonly index: number;
  readonly channel: Channel<OpcuaAddress>;
  readonly nodeId: NodeIdText;
}

/** A target whose namespace index is known in the current session. */
interface ResolvedTarget extends Target {
  /** Element of the Read request. Creating it takes the library longer than sending it. */
  readonly item: ReadValueId;
  readonly read: ChannelReader;
}

/** The plan resolved for the current session. */
interface SessionPlan {
  readonly session: OpcuaSession;
  /** Namespaces known to the session. */
  readonly uris: readonly string[];
  readonly targets: readonly ResolvedTarget[];
  readonly unknown: readonly Target[];
  /** Maximum nodes of one request; reduced below the session limit if the server refused a request of that size. */
  batchSize: number;
}

/** State of one call. */
interface Call {
  readonly signal: AbortSignal;
  readonly readings: Reading[];
  hasAnswer: boolean;
  linkError: ConnectionError | undefined;
}

/** A planned read: all channels in the fewest requests that server and settings allow. */
export class OpcuaRead implements PreparedRead {
  readonly #options: ReadOptions;
  readonly #targets: readonly Target[];
  #plan: SessionPlan | undefined;

  constructor(channels: readonly Channel<OpcuaAddress>[], options: ReadOptions) {
    this.#options = options;
    this.#targets = channels.map((channel, index) => ({
      index,
      channel,
      nodeId: getNodeId(channel.address.nodeId),
    }));
  }

  async read(signal: AbortSignal): Promise<readonly Reading[]> {
    const readings = Array.from<Reading>({ length: this.#targets.length });
    const call: Call = { signal, readings, hasAnswer: false, linkError: undefined };
    const plan = await this.#planFor(this.#options.link.getSession(), signal);
    for (const target of plan.unknown) this.#fail(call, [target], toUnknownNamespace(target));
    await this.#readAll(call, plan, plan.targets);
    if (call.linkError !== undefined && !call.hasAnswer) throw call.linkError;
    return readings;
  }

  // Another session may use other namespace indexes.
  async #planFor(session: OpcuaSession, signal: AbortSignal): Promise<SessionPlan> {
    const { namespaces } = session;
    if (this.#plan?.session !== session || this.#plan.unknown.length > 0) {
      await namespaces.learn(
        this.#targets.map(({ nodeId }) => nodeId),
        signal,
      );
    }
    const { uris } = namespaces;
    const { library } = session;
    const { config } = this.#options;
    if (this.#plan?.session === session && this.#plan.uris === uris) return this.#plan;
    const targets: ResolvedTarget[] = [];
    const unknown: Target[] = [];
    for (const target of this.#targets) {
      const nodeId = namespaces.resolve(target.nodeId);
      const { attribute, indexRange } = target.channel.address;
      const attributeId = ATTRIBUTES[attribute];
      if (nodeId === undefined) {
        unknown.push(target);
        continue;
      }
      const item = new library.ReadValueId({ nodeId, attributeId, ...toIndexRange(indexRange) });
      targets.push({ ...target, item, read: createChannelReader(target.channel, { config, session }) });
    }
    this.#plan = { session, uris, targets, unknown, batchSize: session.limits.nodesPerRead };
    return this.#plan;
  }

  async #readAll(call: Call, plan: SessionPlan, targets: readonly ResolvedTarget[]): Promise<void> {
    const batches: (readonly ResolvedTarget[])[] = [];
    for (let start = 0; start < targets.length; start += plan.batchSize) {
      batches.push(targets.slice(start, start + plan.batchSize));
    }
    await Promise.all(batches.map((batch) => this.#readBatch(call, plan, batch)));
  }

  async #readBatch(call: Call, plan: SessionPlan, batch: readonly ResolvedTarget[]): Promise<void> {
    try {
      const results = await this.#ask(call, plan, batch);
      call.hasAnswer = true;
      await plan.session.structures.decode(results, call.signal);
      const nowMs = this.#options.clock.epochMs();
      for (const [position, { index, read }] of batch.entries()) {
        const dataValue = results[position];
        if (dataValue !== undefined) call.readings[index] = read(dataValue, nowMs);
      }
    } catch (error) {
      if (isRequestTooLarge(error) && batch.length > 1) {
        plan.batchSize = Math.min(plan.batchSize, Math.ceil(batch.length / 2));
        return this.#readAll(call, plan, batch);
      }
      if (error instanceof ConnectionError && !call.signal.aborted) call.linkError = error;
      this.#fail(call, batch, toFailure(error, call.signal));
    }
  }

  async #ask(
    call: Call,
    { session }: SessionPlan,
    batch: readonly ResolvedTarget[],
  ): Promise<readonly DataValue[]> {
    const { ReadRequest, ReadResponse, TimestampsToReturn } = session.library;
    const { results } = await this.#options.link.call(
      session,
      // No cached value of the server may pass for a new one.
      () => {
        const request = new ReadRequest({ maxAge: 0, timestampsToReturn: TimestampsToReturn.Both });
        // The constructor would copy each item.
        request.nodesToRead = batch.map(({ item }) => item);
        return request;
      },
      ReadResponse,
      { service: 'Read', counter: 'reads', signal: call.signal },
    );
    if (results?.length === batch.length) return results;
    throw new InvalidResponse(`${results?.length ?? 0} values for ${batch.length} nodes`);
  }

  #fail({ readings }: Call, targets: readonly Target[], failure: ChannelFailure): void {
    const timestampMs = this.#options.clock.epochMs();
    for (const { index } of targets) readings[index] = { failure, timestampMs };
  }
}

/** Returns the failure of a channel whose namespace the server does not have. */
export function toUnknownNamespace({ nodeId }: { readonly nodeId: NodeIdText }): ChannelFailure {
  const message = `the server has no namespace ${nodeId.namespace}`;
  return { code: 'OPCUA_NAMESPACE_UNKNOWN', message };
}

/** Creates the reader of a channel; its address is parsed once. */
export function createChannelReader(
  { address, valueType }: Channel<OpcuaAddress>,
  { config, session }: { readonly config: OpcuaConfig; readonly session: OpcuaSession },
): ChannelReader {
  const { library, readTypes, structures } = session;
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
  // Other values need no write type for comparison.
  return valueType === 'STRING' ? readTypes.watch(read, address, options.path) : read;
}
