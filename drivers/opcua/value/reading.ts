import type { Reading } from '../../../daemon/channel/driver.ts';
import { decodeVariant } from './decode-variant.ts';
import type { WantedPart } from './decode-variant.ts';
import { toStatusFailure } from '../opcua-errors.ts';
import { hasPlainStatus, severityOf } from './status.ts';
import { VariantFault } from './variant.ts';
import type { VariantLike } from './variant.ts';

/** The part of a DataValue of the library that is used here (OPC 10000-4, 7.11). */
export interface DataValueLike {
  readonly value: VariantLike;
  readonly statusCode: { readonly value: number };
  readonly sourceTimestamp?: Date | null | undefined;
  readonly serverTimestamp?: Date | null | undefined;
}

/**
 * Turns values of a node into readings of its channel.
 *
 * @param nowMs milliseconds since the epoch, for values without a timestamp
 */
export type ChannelReader = (value: DataValueLike, nowMs: number) => Reading;

export interface ReadingOptions extends WantedPart {
  /** Of the channel, for messages. */
  readonly nodeId: string;
  /** Whether a value counts of which the server is not sure. */
  readonly acceptUncertain: boolean;
  /** Returns why a structure cannot be decoded at present; undefined for each other value. */
  readonly findTypeFault: (variant: VariantLike) => VariantFault | undefined;
  /** Returns the name of a StatusCode. */
  readonly nameStatus: (code: number) => string;
}

/**
 * Turns the DataValue of a node into a reading. With a bad status it has no value, even if one came along, and the
 * same holds for an uncertain status unless it is accepted. The time is that of the source, else that of the server.
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

/** Returns the reading of a node that the server answers with a status instead of a value. */
export function toRefusedReading(status: string, nodeId: string, nowMs: number): Reading {
  const message = `the server answers ${status} for ${nodeId}`;
  return { failure: toStatusFailure(status, message), timestampMs: nowMs };
}

/** Returns the reading of a node in a namespace that the server does not have. */
export function toNoNamespaceReading(nodeId: string, nowMs: number): Reading {
  const message = `the server has no namespace for ${nodeId}`;
  return { failure: { code: 'OPCUA_NAMESPACE_UNKNOWN', message }, timestampMs: nowMs };
}

// The smallest DateTime stands for no time (OPC 10000-6, 5.2.2.5).
function timeOf({ sourceTimestamp, serverTimestamp }: DataValueLike): number | undefined {
  const sourceMs = sourceTimestamp?.getTime() ?? 0;
  if (sourceMs > 0) return sourceMs;
  const serverMs = serverTimestamp?.getTime() ?? 0;
  return serverMs > 0 ? serverMs : undefined;
}
