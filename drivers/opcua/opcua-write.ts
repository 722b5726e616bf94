import type { StatusCode, VariantOptions } from 'node-opcua-client';

import { createUnknownOutcome, toFailure } from '../../daemon/channel/call-failure.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { WriteOutcome, WriteRequest } from '../../daemon/channel/driver.ts';
import { encodeVariant } from './encode-variant.ts';
import { parseIndexRange, toIndexRange } from './index-range.ts';
import type { OpcuaAddress } from './opcua-address.ts';
import { ServiceRefused, isNothingDone, toErrorCode } from './opcua-errors.ts';
import type { OpcuaLink } from './opcua-link.ts';
import { getNodeId, toUnknownNamespace } from './opcua-read.ts';
import type { OpcuaSession } from './opcua-session.ts';
import { nameStatus, severityOf } from './status.ts';
import { VariantFault } from './variant.ts';
import type { VariantLike } from './variant.ts';
import { findWrittenForms } from './written-forms.ts';
import type { WrittenNode } from './written-forms.ts';

const OUTCOME_UNKNOWN_CODE = 'OPCUA_WRITE_OUTCOME_UNKNOWN';

export interface WriteOptions {
  readonly link: OpcuaLink;
  readonly clock: { epochMs(): number };
  readonly signal: AbortSignal;
}

/** A node whose namespace is known, and the value to write. */
interface Entry extends WrittenNode {
  /** Position of the outcome. */
  readonly index: number;
  readonly request: WriteRequest<OpcuaAddress>;
}

/** A value that can be sent. */
interface Encoded extends Entry {
  readonly variant: VariantLike;
}

const VALUE_ATTRIBUTE = 13;
// With these a server reports that it asked the device beneath and does not know the outcome.
const OUTCOME_UNKNOWN: ReadonlySet<string> = new Set(['BadTimeout', 'BadCommunicationError']);

/**
 * Writes values in the order given, in the fewest requests; no value is sent again once it may have reached the server.
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

class WriteRun {
  readonly outcomes: WriteOutcome[];
  readonly #requests: readonly WriteRequest<OpcuaAddress>[];
  readonly #options: WriteOptions;
  readonly #session: OpcuaSession;
  #hasSent = false;
  /** Why nothing more is sent. */
  #halt: unknown;

  constructor(requests: readonly WriteRequest<OpcuaAddress>[], options: WriteOptions) {
    this.outcomes = Array.from<WriteOutcome>({ length: requests.length });
    this.#requests = requests;
    this.#options = options;
    this.#session = options.link.getSession();
  }

  async writeAll(): Promise<void> {
    const entries = this.#resolve();
    const batches = splitBatches(await this.#encode(entries), this.#session.limits.nodesPerWrite);
    for (const batch of batches) {
      if (this.#halt === undefined) await this.#send(batch);
      else this.#fail(batch, toNotSent(this.#halt, this.#options.signal));
    }
  }

  #resolve(): readonly Entry[] {
    return this.#requests.flatMap((request, index) => {
      const { channel } = request;
      const reference = getNodeId(channel.address.nodeId);
      const nodeId = this.#session.resolve(reference);
      if (nodeId !== undefined) return { index, request, channel, nodeId };
      this.#fail([{ index }], toUnknownNamespace({ nodeId: reference }));
      return [];
    });
  }

  async #encode(entries: readonly Entry[]): Promise<readonly Encoded[]> {
    const { link, signal } = this.#options;
    try {
      const known = await findWrittenForms(entries, link, this.#session, signal);
      return entries.flatMap((entry) => {
        const { dataType, indexRange } = entry.channel.address;
        const form = known.forms.get(entry.nodeId);
        const type = dataType ?? form?.type;
        if (type === undefined) {
          this.#fail([entry], toUnknownType(entry, known.refusals.get(entry.nodeId)));
          return [];
        }
        const range = indexRange === undefined ? undefined : parseIndexRange(indexRange);
        const variant = encodeVariant({ type, rank: form?.rank }, entry.request.value, range);
        if (!(variant instanceof VariantFault)) return { ...entry, variant };
        this.#fail([entry], { code: variant.code, message: `${entry.nodeId}: ${variant.message}` });
        return [];
      });
    } catch (error) {
      if (error instanceof ConnectionError && !signal.aborted) throw error;
      this.#fail(entries, toFailure(error, signal));
      return [];
    }
  }

  async #send(batch: readonly Encoded[]): Promise<void> {
    const { link, signal } = this.#options;
    const { WriteRequest: Request, WriteResponse, Variant } = this.#session.library;
    let isSent = false;
    try {
      const { results } = await link.call(
        this.#session,
        () => {
          const nodesToWrite = batch.map(({ nodeId, channel, variant }) => ({
            nodeId,
            attributeId: VALUE_ATTRIBUTE,
            ...toIndexRange(channel.address.indexRange),
            // Servers refuse times and states that they do not keep, so none is sent.
            value: { value: new Variant(variant as unknown as VariantOptions) },
          }));
          const request = new Request({ nodesToWrite });
          isSent = true;
          return request;
        },
        WriteResponse,
        { service: 'Write', counter: 'writes', signal },
      );
      this.#hasSent = true;
      for (const [position, entry] of batch.entries()) this.#note(entry, results?.[position]);
    } catch (error) {
      this.#onFailure(batch, error, isSent);
    }
  }

  #onFailure(batch: readonly Encoded[], error: unknown, isSent: boolean): void {
    const { signal } = this.#options;
    const mayBeDone = isSent && !isNothingDone(error);
    this.#hasSent ||= mayBeDone || error instanceof ServiceRefused;
    if (!this.#hasSent && error instanceof ConnectionError && !signal.aborted) throw error;
    // The server that did nothing lives, and takes the others.
    if (mayBeDone || !(error instanceof ServiceRefused)) this.#halt = error;
    this.#fail(batch, mayBeDone ? toUnknownOutcome(error, signal) : toFailure(error, signal));
  }

  #note(entry: Encoded, status: StatusCode | undefined): void {
    const timestampMs = this.#options.clock.epochMs();
    if (status !== undefined && severityOf(status.value) === 'GOOD') {
      this.outcomes[entry.index] = { timestampMs };
      return;
    }
    const name = status === undefined ? 'no result' : nameStatus(this.#session.library, status.value);
    const message = `${entry.nodeId}: ${name}`;
    const isUnknown = status === undefined || OUTCOME_UNKNOWN.has(name);
    this.#fail(
      [entry],
      isUnknown ? createUnknownOutcome(OUTCOME_UNKNOWN_CODE, message) : { code: toErrorCode(name), message },
    );
  }

  #fail(entries: readonly { readonly index: number }[], failure: ChannelFailure): void {
    const timestampMs = this.#options.clock.epochMs();
    for (const { index } of entries) this.outcomes[index] = { failure, timestampMs };
  }
}

// The standard leaves open in which order a server carries out one request: no node stands in it twice.
function splitBatches(entries: readonly Encoded[], limit: number): readonly (readonly Encoded[])[] {
  const batches: Encoded[][] = [];
  let nodes = new Set<string>();
  for (const entry of entries) {
    const last = batches.at(-1);
    if (last === undefined || last.length >= limit || nodes.has(entry.nodeId)) {
      batches.push([entry]);
      nodes = new Set([entry.nodeId]);
    } else {
      last.push(entry);
      nodes.add(entry.nodeId);
    }
  }
  return batches;
}

function toUnknownType({ nodeId }: Entry, status: string | undefined): ChannelFailure {
  if (status !== undefined) return { code: toErrorCode(status), message: `${nodeId}: ${status}` };
  const message = 'the server does not tell a type that can be written; give the dataType';
  return { code: 'OPCUA_DATA_TYPE_UNKNOWN', message };
}

function toNotSent(error: unknown, signal: AbortSignal): ChannelFailure {
  const { code, message } = toFailure(error, signal);
  return { code, message: `${message}; not sent` };
}

function toUnknownOutcome(error: unknown, signal: AbortSignal): ChannelFailure {
  return createUnknownOutcome(OUTCOME_UNKNOWN_CODE, toFailure(error, signal).message);
}
