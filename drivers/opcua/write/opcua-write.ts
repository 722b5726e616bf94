import { toFailure } from '../../../daemon/channel/call-failure.ts';
import type { Channel } from '../../../daemon/channel/channel.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type {
  Attempt,
  AttemptResult,
  PreparedWrites,
  RefusedValue,
  WriteOutcome,
  WriteRequest,
  WriteStep,
} from '../../../daemon/channel/write-step.ts';
import { decodeWrite, isOfFloats } from './decode-write.ts';
import { encodeAgain, encodeWrites } from './encode-writes.ts';
import { callMethod } from './method-call.ts';
import type { MethodOutcome } from './method-call.ts';
import { getNodeId } from '../value/node-id.ts';
import type { NodeIdText } from '../value/node-id.ts';
import { writeNodes } from './node-write.ts';
import type { OpcuaAddress } from '../opcua-address.ts';
import { ServiceRefused, isNothingDone } from '../opcua-errors.ts';
import type { OpcuaLink } from '../session/opcua-link.ts';
import { toUnknownNamespace } from '../opcua-read.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';
import { isChangeTooLarge } from '../session/request-parts.ts';
import { writeField } from './structure-write.ts';
import type { FieldOutcome } from './structure-write.ts';
import { isFieldBatch, isMethodBatch, splitBatches } from './write-entry.ts';
import type { EncodedWrite, MethodWrite, NodeWrite, WriteBatch, WriteEntry } from './write-entry.ts';
import { OUTCOME_UNKNOWN_CODE } from './write-outcome.ts';

export interface WriteOptions {
  readonly link: OpcuaLink;
  readonly clock: { epochMs(): number };
}

/** A value whose node may differ in the next session. */
type UnresolvedWrite = Pick<WriteEntry, 'index' | 'value' | 'sent'> & {
  readonly channel: Channel<OpcuaAddress>;
};

const TYPE_MISMATCH = 'BadTypeMismatch';

/**
 * Encodes each value, in the fewest requests. Requests unknown information about the nodes.
 *
 * @throws {ConnectionError} if the link is down
 */
export function prepareWrites(
  requests: readonly WriteRequest<OpcuaAddress>[],
  options: WriteOptions,
  signal: AbortSignal,
): Promise<PreparedWrites> {
  return prepareInSession(
    requests.map((request, index) => ({ ...request, index })),
    options,
    signal,
  );
}

async function prepareInSession(
  values: readonly UnresolvedWrite[],
  options: WriteOptions,
  signal: AbortSignal,
): Promise<PreparedWrites> {
  const { link } = options;
  const session = link.getSession();
  const nodeIds = values.flatMap(({ channel }) => listNodeIds(channel.address));
  await session.namespaces.learn(nodeIds, signal);
  const refused: RefusedValue[] = [];
  const entries: WriteEntry[] = [];
  for (const value of values) {
    const entry = resolveEntry(value, session);
    if ('failure' in entry) refused.push(entry);
    else entries.push(entry);
  }
  const writes: EncodedWrite[] = [];
  try {
    const encoded = await encodeWrites(entries, link, session, signal);
    refused.push(...encoded.refused.map(({ entry, failure }) => ({ index: entry.index, failure })));
    for (const write of encoded.writes) writes.push({ ...write, sent: decodeWrite(write) });
  } catch (error) {
    if (error instanceof ConnectionError && !signal.aborted) throw error;
    const failure = toFailure(error, signal);
    refused.push(...entries.map(({ index }) => ({ index, failure })));
  }
  const batches = splitBatches(writes, session.limits.nodesPerWrite);
  return {
    refused,
    values: writes.map((write) => ({ index: write.index, sent: write.sent, isSingle: isOfFloats(write) })),
    steps: batches.map((batch) => new BatchStep(batch, { ...options, session })),
  };
}

function resolveEntry(value: UnresolvedWrite, { namespaces }: OpcuaSession): WriteEntry | RefusedValue {
  const { index, channel } = value;
  const resolved: string[] = [];
  for (const reference of listNodeIds(channel.address)) {
    const found = namespaces.resolve(reference);
    if (found === undefined) return { index, failure: toUnknownNamespace({ nodeId: reference }) };
    resolved.push(found);
  }
  const [node = '', methodId] = resolved;
  return { ...value, nodeId: node, methodId };
}

interface StepOptions extends WriteOptions {
  readonly session: OpcuaSession;
  /** True if the values were encoded again after the server refused their type. */
  readonly isEncodedAgain?: boolean;
}

/**
 * One request that writes nodes or calls a method. A value whose type was refused is encoded and sent again once, if
 * the node now has another type.
 */
class BatchStep implements WriteStep {
  readonly unknownCode = OUTCOME_UNKNOWN_CODE;
  readonly indices: readonly number[];
  readonly #batch: WriteBatch;
  readonly #options: StepOptions;

  constructor(batch: WriteBatch, options: StepOptions) {
    this.indices = batch.map(({ index }) => index);
    this.#batch = batch;
    this.#options = options;
  }

  async send(attempt: Attempt): Promise<AttemptResult> {
    const { link, session, clock } = this.#options;
    const batch = this.#batch;
    const { signal } = attempt;
    if (link.getSession() !== session) return this.#prepareAgain(signal);
    const onSend = (): void => {
      attempt.throwIfCancelled();
      attempt.onSend();
    };
    const sending = { link, session, signal, onSend };
    try {
      const faults: readonly (MethodOutcome | FieldOutcome | undefined)[] = isFieldBatch(batch)
        ? [await writeField(batch[0], sending)]
        : isMethodBatch(batch)
          ? [toResult(batch[0], await callMethod(batch[0].call, sending))]
          : await writeNodes(batch, sending);
      const timestampMs = clock.epochMs();
      const outcomes = batch.map((_, position): WriteOutcome => {
        const fault = faults[position];
        return fault === undefined ? { timestampMs } : { ...fault, timestampMs };
      });
      return isMethodBatch(batch) || isFieldBatch(batch)
        ? { kind: 'ANSWERED', outcomes }
        : await this.#answer(batch, outcomes, signal);
    } catch (error) {
      return this.#toNothingDone(error, signal);
    }
  }

  only(positions: readonly number[]): readonly WriteStep[] {
    const batch = this.#batch;
    if (isMethodBatch(batch) || isFieldBatch(batch)) return positions.length === 0 ? [] : [this];
    return [
      new BatchStep(
        positions.flatMap((position) => batch[position] ?? []),
        this.#options,
      ),
    ];
  }

  // Another session may use other namespace indexes, and its server may expect other types.
  async #prepareAgain(signal: AbortSignal): Promise<AttemptResult> {
    const { link, clock } = this.#options;
    const { refused, steps } = await prepareInSession(this.#batch, { link, clock }, signal);
    return { kind: 'PREPARED_AGAIN', refused, steps };
  }

  async #answer(
    batch: readonly NodeWrite[],
    outcomes: readonly WriteOutcome[],
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    const { link, session, isEncodedAgain = false } = this.#options;
    const mismatched = batch.filter((_, position) => outcomes[position]?.failure?.status === TYPE_MISMATCH);
    const answered = { kind: 'ANSWERED', outcomes } as const;
    if (isEncodedAgain || mismatched.length === 0) return answered;
    // Without a response the refusal stands.
    const encoded = await encodeAgain(mismatched, link, session, signal).catch(() => undefined);
    if (encoded === undefined) return answered;
    const { refused, writes } = encoded;
    const failures = new Map(refused.map(({ entry, failure }) => [entry.index, failure]));
    const noted = outcomes.map((outcome, position): WriteOutcome => {
      const failure = failures.get(this.indices[position] ?? -1);
      return failure === undefined
        ? outcome
        : { failure, outcome: 'REFUSED', timestampMs: outcome.timestampMs };
    });
    const retries =
      writes.length === 0 ? [] : [new BatchStep(writes, { ...this.#options, isEncodedAgain: true })];
    return { kind: 'ANSWERED', outcomes: noted, retries };
  }

  #toNothingDone(error: unknown, signal: AbortSignal): AttemptResult {
    if (!isNothingDone(error)) throw error;
    if (!(error instanceof ServiceRefused)) return { kind: 'LOST', error };
    const refused = { kind: 'NOTHING_DONE', outcome: 'REFUSED', failure: toFailure(error, signal) } as const;
    const count = this.#batch.length;
    if (count === 1 || !isChangeTooLarge(error)) return refused;
    // Not every server reports its limit of nodes.
    const { limits } = this.#options.session;
    const size = Math.ceil(count / 2);
    limits.nodesPerWrite = Math.min(limits.nodesPerWrite, size);
    const positions = this.#batch.map((_, position) => position);
    return { ...refused, parts: [positions.slice(0, size), positions.slice(size)] };
  }
}

// Other value types are those of an argument.
function toResult({ channel }: MethodWrite, outcome: MethodOutcome): MethodOutcome {
  return outcome.failure === undefined && channel.valueType !== 'STRING' ? {} : outcome;
}

/** Returns the NodeId of a node, or of an object and its method. */
function listNodeIds({ nodeId, method }: OpcuaAddress): readonly NodeIdText[] {
  return method === undefined ? [getNodeId(nodeId)] : [getNodeId(nodeId), getNodeId(method)];
}
