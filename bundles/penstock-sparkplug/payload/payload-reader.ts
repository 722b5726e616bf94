import { ProtoError, ProtoReader } from './proto-reader.ts';
import { WIRE } from './proto-writer.ts';

/** Value as it was on the wire: integers unsigned, of 32 or 64 bits. */
export type IncomingValue =
  | { readonly kind: 'INT'; readonly value: number }
  | { readonly kind: 'LONG'; readonly value: bigint }
  | { readonly kind: 'FLOAT' | 'DOUBLE'; readonly value: number }
  | { readonly kind: 'BOOLEAN'; readonly value: boolean }
  | { readonly kind: 'TEXT'; readonly value: string }
  | { readonly kind: 'BYTES'; readonly value: Uint8Array }
  /** A data set, a template or an extension. */
  | { readonly kind: 'OTHER' };

/** Metric of a command. */
export interface IncomingMetric {
  readonly name?: string | undefined;
  readonly alias?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly timestampMs?: number | undefined;
  /** Number of the data type. */
  readonly type?: number | undefined;
  readonly isHistorical: boolean;
  readonly isNull: boolean;
  readonly value?: IncomingValue | undefined;
}

/** Payload of a command. */
export interface IncomingPayload {
  /** Milliseconds since the epoch. */
  readonly timestampMs?: number | undefined;
  readonly metrics: readonly IncomingMetric[];
}

const MAXIMUM_METRICS = 1000;

/**
 * Decodes the payload of a command; unknown fields are passed over.
 *
 * @returns the reason why it is none, instead of an exception, whatever the bytes are; also for more than 1000 metrics
 */
export function decodePayload(bytes: Uint8Array): IncomingPayload | { readonly fault: string } {
  try {
    return readPayload(new ProtoReader(bytes));
  } catch (error) {
    if (error instanceof ProtoError) return { fault: `no Sparkplug payload: ${error.message}` };
    throw error;
  }
}

function readPayload(reader: ProtoReader): IncomingPayload {
  let timestampMs: number | undefined;
  const metrics: IncomingMetric[] = [];
  for (let next = reader.next(); next !== undefined; next = reader.next()) {
    const { field, wire } = next;
    if (field === 1 && wire === WIRE.VARINT) timestampMs = toSigned(reader.varint());
    else if (field === 2 && wire === WIRE.BYTES) {
      if (metrics.length >= MAXIMUM_METRICS) throw new ProtoError(`more than ${MAXIMUM_METRICS} metrics`);
      metrics.push(readMetric(new ProtoReader(reader.bytes())));
    } else reader.skip(wire);
  }
  return { timestampMs, metrics };
}

function readMetric(reader: ProtoReader): IncomingMetric {
  const metric: { -readonly [Key in keyof IncomingMetric]: IncomingMetric[Key] } = {
    isHistorical: false,
    isNull: false,
  };
  for (let next = reader.next(); next !== undefined; next = reader.next()) {
    const { field, wire } = next;
    const value = readValue(reader, field, wire);
    if (value !== undefined) metric.value = value;
    else if (field === 1 && wire === WIRE.BYTES) metric.name = reader.text();
    else if (field === 2 && wire === WIRE.VARINT) metric.alias = Number(reader.varint());
    else if (field === 3 && wire === WIRE.VARINT) metric.timestampMs = toSigned(reader.varint());
    else if (field === 4 && wire === WIRE.VARINT) metric.type = Number(BigInt.asUintN(32, reader.varint()));
    else if (field === 5 && wire === WIRE.VARINT) metric.isHistorical = reader.varint() !== 0n;
    else if (field === 7 && wire === WIRE.VARINT) metric.isNull = reader.varint() !== 0n;
    else reader.skip(wire);
  }
  return metric;
}

/** Reads the value if the field is one of those that have it; the last of several counts. */
function readValue(reader: ProtoReader, field: number, wire: number): IncomingValue | undefined {
  if (field === 10 && wire === WIRE.VARINT) {
    return { kind: 'INT', value: Number(BigInt.asUintN(32, reader.varint())) };
  }
  if (field === 11 && wire === WIRE.VARINT) return { kind: 'LONG', value: reader.varint() };
  if (field === 12 && wire === WIRE.FIXED32) return { kind: 'FLOAT', value: reader.float() };
  if (field === 13 && wire === WIRE.FIXED64) return { kind: 'DOUBLE', value: reader.double() };
  if (field === 14 && wire === WIRE.VARINT) return { kind: 'BOOLEAN', value: reader.varint() !== 0n };
  if (field === 15 && wire === WIRE.BYTES) return { kind: 'TEXT', value: reader.text() };
  if (field === 16 && wire === WIRE.BYTES) return { kind: 'BYTES', value: Uint8Array.from(reader.bytes()) };
  if (field >= 17 && field <= 19 && wire === WIRE.BYTES) {
    reader.skip(wire);
    return { kind: 'OTHER' };
  }
  return undefined;
}

function toSigned(value: bigint): number {
  return Number(BigInt.asIntN(64, value));
}
