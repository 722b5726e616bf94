import { toFailure } from '../../daemon/channel/call-failure.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import type { CheckedWrites } from '../../daemon/channel/checking-driver.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { WriteOutcome, WriteRequest } from '../../daemon/channel/driver.ts';
import { throwIfWithdrawn, WriteWithdrawn } from '../../daemon/channel/withdrawn-write.ts';
import type { FailedWriteOutcome } from '../../daemon/channel/write-outcome.ts';
import { decodeWrite, isOfFloats } from './decode-write.ts';
import { encodeAnew, encodeWrites } from './encode-writes.ts';
import { callMethod } from './method-call.ts';
import { getNodeId } from './node-id.ts';
import type { NodeIdText } from './node-id.ts';
import { writeNodes } from './node-write.ts';
import type { OpcuaAddress } from './opcua-address.ts';
import { ServiceRefused, isNothingDone } from './opcua-errors.ts';
import type { OpcuaLink } from './opcua-link.ts';
import { toUnknownNamespace } from './opcua-read.ts';
import type { OpcuaSession } from './opcua-session.ts';
import { changesTooMuch } from './request-parts.ts';
import { isMethodBatch, splitBatches } from './write-entry.ts';
import type { EncodedWrite, NodeWrite, WriteBatch, WriteEntry } from './write-entry.ts';
import { createOpenFault } from './write-outcome.ts';
import type { WriteFault } from './write-outcome.ts';

export interface WriteOptions {
  readonly link: OpcuaLink;
  readonly clock: { epochMs(): number };
  readonly signal: AbortSignal;
}

const TYPE_MISMATCH = 'BadTypeMismatch';

/**
 * Writes values and calls methods in the order given, in the fewest requests. Nothing is sent again once it may have been
 * carried out; a value that a server refused for its type is, once, when the node now has another type.
 *
 * @returns one outcome per request, in the same order
 * @throws {ConnectionError} when the link was down before anything was sent
 */
export async function writeChannels(
  requests: readonly WriteRequest<OpcuaAddress>[],
  options: WriteOptions,
): Promise<readonly WriteOutcome[]> {
  const run = new WriteRun(requests, options);
  await run.writeAll();
  return run.outcomes;
}

/**
 * Tells what is sent of each value. Asks the server for what is not known yet of the nodes.
 *
 * @throws {ConnectionError} when the link is down
 */
export async function prepareWrites(
  requests: readonly WriteRequest<OpcuaAddress>[],
  options: WriteOptions,
): Promise<CheckedWrites> {
  const run = new WriteRun(requests, options);
  const writes = await run.prepare();
  const refused = requests.flatMap((_, index) => {
    const failure = run.outcomes[index]?.failure;
    return failure === undefined ? [] : [{ index, failure }];
  });
  const values = writes.map((write) => ({
    index: write.index,
    sent: decodeWrite(write),
    isSingle: isOfFloats(write),
  }));
  return { refused, values };
}

class WriteRun {
  readonly outcomes: WriteOutcome[];
  readonly #requests: readonly WriteRequest<OpcuaAddress>[];
  readonly #options: WriteOptions;
  readonly #session: OpcuaSession;
  /** Positions of the values that were encoded a second time. */
  readonly #anew = new Set<number>();
  #hasSent = false;
  /** Why nothing more is sent. */
  #halt: unknown;

  constructor(requests: readonly WriteRequest<OpcuaAddress>[], options: WriteOptions) {
    this.outcomes = Array.from<WriteOutcome>({ length: requests.length });
    this.#requests = requests;
    this.#options = options;
    this.#session = options.link.getSession();
  }

  /** Finds what can be sent; the outcomes of the others are set. */
  async prepare(): Promise<readonly EncodedWrite[]> {
    const nodeIds = this.#requests.flatMap(({ channel }) => listNodeIds(channel.address));
    await this.#session.namespaces.learn(nodeIds, this.#options.signal);
    const entries = this.#requests.flatMap((request, index) => this.#resolve(request, index));
    return this.#encode(entries);
  }

  async writeAll(): Promise<void> {
    const batches = splitBatches(await this.prepare(), this.#session.limits.nodesPerWrite);
    for (const batch of batches) {
      if (this.#halt === undefined) await this.#send(batch);
      else this.#fail(batch, toNotSent(this.#halt, this.#options.signal), 'NOT_SENT');
    }
  }

  #resolve(request: WriteRequest<OpcuaAddress>, index: number): readonly WriteEntry[] {
    const { channel } = request;
    const resolved: string[] = [];
    for (const reference of listNodeIds(channel.address)) {
      const found = this.#session.namespaces.resolve(reference);
      if (found === undefined) {
        this.#fail([{ index }], toUnknownNamespace({ nodeId: reference }), 'NOT_SENT');
        return [];
      }
      resolved.push(found);
    }
    const [node = '', methodId] = resolved;
    return [{ index, request, channel, nodeId: node, methodId }];
  }

  async #encode(entries: readonly WriteEntry[]): Promise<readonly EncodedWrite[]> {
    const { link, signal } = this.#options;
    try {
      const { writes, refused } = await encodeWrites(entries, link, this.#session, signal);
      for (const { entry, failure } of refused) this.#fail([entry], failure, 'NOT_SENT');
      return writes;
    } catch (error) {
      if (error instanceof ConnectionError && !signal.aborted) throw error;
      this.#fail(entries, toFailure(error, signal), 'NOT_SENT');
      return [];
    }
  }

  async #send(wanted: WriteBatch): Promise<void> {
    const { link, signal } = this.#options;
    const batch = this.#dropWithdrawn(wanted);
    if (batch === undefined) return;
    let isSent = false;
    const onSend = (): void => {
      // It may have waited for other calls.
      throwIfWithdrawn(batch.map(({ request }) => request));
      isSent = true;
    };
    const options = { link, session: this.#session, signal, onSend };
    let faults: readonly (WriteFault | undefined)[];
    try {
      faults = isMethodBatch(batch)
        ? [await callMethod(batch[0].call, options)]
        : await writeNodes(batch, options);
    } catch (error) {
      if (error instanceof WriteWithdrawn) return this.#send(batch);
      if (batch.length > 1 && !isMethodBatch(batch) && changesTooMuch(error)) return this.#sendHalves(batch);
      return this.#onFailure(batch, error, isSent);
    }
    this.#hasSent = true;
    for (const [position, entry] of batch.entries()) this.#note(entry, faults[position]);
    if (isMethodBatch(batch)) return;
    await this.#sendAnew(batch.filter((_, position) => faults[position]?.failure.status === TYPE_MISMATCH));
  }

  #dropWithdrawn(batch: WriteBatch): WriteBatch | undefined {
    const kept = new Set<WriteEntry>(batch);
    for (const entry of batch) {
      const failure = entry.request.findWithdrawal?.();
      if (failure === undefined) continue;
      kept.delete(entry);
      this.#fail([entry], failure, 'NOT_SENT');
    }
    if (kept.size === batch.length) return batch;
    return isMethodBatch(batch) || kept.size === 0 ? undefined : batch.filter((entry) => kept.has(entry));
  }

  async #sendAnew(mismatched: readonly NodeWrite[]): Promise<void> {
    const { link, signal } = this.#options;
    const entries = mismatched.filter(({ index }) => !this.#anew.has(index));
    if (entries.length === 0) return;
    for (const { index } of entries) this.#anew.add(index);
    // Without an answer the refusal stands.
    const encoded = await encodeAnew(entries, link, this.#session, signal).catch(() => undefined);
    if (encoded === undefined) return;
    for (const { entry, failure } of encoded.refused) this.#fail([entry], failure, 'REFUSED');
    if (encoded.writes.length > 0) await this.#send(encoded.writes);
  }

  // Not every server tells how many nodes it takes.
  async #sendHalves(batch: readonly NodeWrite[]): Promise<void> {
    const { limits } = this.#session;
    const size = Math.ceil(batch.length / 2);
    limits.nodesPerWrite = Math.min(limits.nodesPerWrite, size);
    for (const half of [batch.slice(0, size), batch.slice(size)]) {
      if (this.#halt === undefined) await this.#send(half);
      else this.#fail(half, toNotSent(this.#halt, this.#options.signal), 'NOT_SENT');
    }
  }

  #onFailure(batch: WriteBatch, error: unknown, isSent: boolean): void {
    const { signal } = this.#options;
    const mayBeDone = isSent && !isNothingDone(error);
    this.#hasSent ||= mayBeDone || error instanceof ServiceRefused;
    if (!this.#hasSent && error instanceof ConnectionError && !signal.aborted) throw error;
    // The server that did nothing lives, and takes the others.
    if (mayBeDone || !(error instanceof ServiceRefused)) this.#halt = error;
    if (mayBeDone) {
      const { failure, outcome } = createOpenFault(toFailure(error, signal).message);
      return this.#fail(batch, failure, outcome);
    }
    this.#fail(batch, toFailure(error, signal), error instanceof ServiceRefused ? 'REFUSED' : 'NOT_SENT');
  }

  #note(entry: WriteEntry, fault: WriteFault | undefined): void {
    if (fault === undefined) this.outcomes[entry.index] = { timestampMs: this.#options.clock.epochMs() };
    else this.outcomes[entry.index] = { ...fault, timestampMs: this.#options.clock.epochMs() };
  }

  #fail(
    entries: readonly { readonly index: number }[],
    failure: ChannelFailure,
    outcome: FailedWriteOutcome,
  ): void {
    const timestampMs = this.#options.clock.epochMs();
    for (const { index } of entries) this.outcomes[index] = { failure, outcome, timestampMs };
  }
}

/** Returns the NodeId of a node, or of an object and its method. */
function listNodeIds({ nodeId, method }: OpcuaAddress): readonly NodeIdText[] {
  return method === undefined ? [getNodeId(nodeId)] : [getNodeId(nodeId), getNodeId(method)];
}

function toNotSent(error: unknown, signal: AbortSignal): ChannelFailure {
  const { code, message } = toFailure(error, signal);
  return { code, message: `${message}; not sent` };
}
