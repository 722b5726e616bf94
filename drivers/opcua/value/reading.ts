import type { Reading } from '../../../daemon/channel/driver.ts';
import { decodeVariant } from './decode-variant.ts';
import type { WantedPart } from './decode-variant.ts';
import { createReason } from '../../../daemon/base/fault-reason.ts';
import { OPCUA_FAILURES } from '../failure-sentences.ts';
import { explainStatus, toStatusFailure } from '../opcua-errors.ts';
import { hasPlainStatus, severityOf } from './status.ts';
import { VariantFault } from './variant.ts';
import type { VariantLike } from './variant.ts';

/** The fields of a DataValue of the library used here (OPC 10000-4, 7.11). */
export interface DataValueLike {
  readonly value: VariantLike;
  readonly statusCode: { readonly value: number };
  readonly sourceTimestamp?: Date | null | undefined;
  readonly serverTimestamp?: Date | null | undefined;
}

/**
 * Converts values of a node to readings of its channel.
 *
 * @param nowMs milliseconds since the epoch, for values without a timestamp
 */
export type ChannelReader = (value: DataValueLike, nowMs: number) => Reading;

export interface ReadingOptions extends WantedPart {
  /** NodeId of the channel, for messages. */
  readonly nodeId: string;
  /** True if uncertain values are accepted. */
  readonly acceptUncertain: boolean;
  /** Returns the reason why a structure cannot be decoded now; undefined for all other values. */
  readonly findTypeFault: (variant: VariantLike) => VariantFault | undefined;
  /** Returns the StatusCode name. */
  readonly nameStatus: (code: number) => string;
}

/**
 * Converts the DataValue of a node to a reading. With a bad status, or an uncertain one unless accepted, the value is
 * ignored. The timestamp is that of the source, otherwise that of the server.
 *
 * @param nowMs milliseconds since the epoch, for values without a timestamp
 */
export function toReading(dataValue: DataValueLike, options: ReadingOptions, nowMs: number): Reading {
  const { nodeId, acceptUncertain, nameStatus } = options;
  const { value: statusCode } = dataValue.statusCode;
  const severity = severityOf(statusCode);
  if (severity === 'BAD' || (severity === 'UNCERTAIN' && !acceptUncertain)) {
    return toRefusedReading(nameStatus(statusCode), nodeId, nowMs);
  }
  const value = options.findTypeFault(dataValue.value) ?? decodeVariant(dataValue.value, options);
  if (value instanceof VariantFault) {
    const { code, message } = value;
    return { failure: { code, message: `${nodeId}: ${message}` }, timestampMs: nowMs };
  }
  const timestampMs = timeOf(dataValue) ?? nowMs;
  return hasPlainStatus(statusCode)
    ? { value, timestampMs }
    : { value, timestampMs, quality: severity, status: nameStatus(statusCode) };
}

/** Returns the reading of a node for which the server returns a status instead of a value. */
export function toRefusedReading(status: string, nodeId: string, nowMs: number): Reading {
  const failure = toStatusFailure(status, `the server answers ${status} for ${nodeId}`);
  const place = createReason(OPCUA_FAILURES, 'SERVER_ANSWERS_FOR', { node: nodeId });
  return { failure: { ...failure, reasons: [place, explainStatus(status)] }, timestampMs: nowMs };
}

/** Returns the reading of a node in an unknown namespace. */
export function toNoNamespaceReading(nodeId: string, nowMs: number): Reading {
  const reason = createReason(OPCUA_FAILURES, 'SERVER_WITHOUT_NAMESPACE', { node: nodeId });
  const { message } = reason;
  return { failure: { code: 'OPCUA_NAMESPACE_UNKNOWN', message, reasons: [reason] }, timestampMs: nowMs };
}

// The smallest DateTime means no time (OPC 10000-6, 5.2.2.5).
function timeOf({ sourceTimestamp, serverTimestamp }: DataValueLike): number | undefined {
  const sourceMs = sourceTimestamp?.getTime() ?? 0;
  if (sourceMs > 0) return sourceMs;
  const serverMs = serverTimestamp?.getTime() ?? 0;
  return serverMs > 0 ? serverMs : undefined;
}
