import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailureRecord, ChannelRecord } from '../../../channel/channel-record.ts';
import { qualityOf } from '../../../channel/quality.ts';
import { labelOf } from '../../../channel/value-labels.ts';
import { formatValue } from '../../../channel/value-json.ts';
import { showCodes } from '../../../base/fault-reason.ts';
import { flatten, JsonWriter } from '../json-writer.ts';
import { writeValue } from '../value-writer.ts';

/** The parts of a success record that do not change, around value and time. */
interface Frame {
  readonly channel: Channel;
  /** From the comma before the record. */
  readonly head: string;
  readonly tails: Tails;
  /** The frame that was used after this one, which is most likely so again. */
  next: Frame | undefined;
}

/** The ends of success records of one unit, which its channels share. */
interface Tails {
  /** Without the brace that ends the record. */
  readonly open: string;
  /** Of a good value, with the brace. */
  readonly good: Uint8Array;
  /** Of a record without details, with the brace. */
  readonly plain: Uint8Array;
}

/** Records as they were written last. */
interface Rendered {
  readonly asset: string | undefined;
  readonly hasDetails: boolean;
  readonly hasLabels: boolean;
  readonly bytes: Buffer;
}

/** A property of the list costs the garbage collector nothing, unlike an entry of a `WeakMap` for each round. */
type RenderedRecords = readonly ChannelRecord[] & { [RENDERED]?: Rendered };

const RENDERED = Symbol('rendered');

const SUCCESS = '"channelStatus":{"channelFlag":"SUCCESS"}';
// For the first responses; later ones use the size of the previous ones.
const RECORD_BYTES = 160;
const SPARE_BYTES = 256;
const BEGIN = ',{';
const OPENING_BRACKET = 0x5b;
// A plant has a few dozen units.
const MAXIMUM_UNITS = 1000;

/**
 * Returns the result records of a read or write as a JSON array.
 *
 * @param options.asset pid that each record names, where records of several assets come together
 * @param options.hasLabels true if records have the names of their values
 * @param options.hasDetails true if records have members in addition to those of Kura; default: true
 */
export type RenderRecords = (records: readonly ChannelRecord[], options?: RenderOptions) => Buffer;

interface RenderOptions {
  readonly asset?: string | undefined;
  readonly hasDetails?: boolean;
  readonly hasLabels?: boolean;
}

/** Creates a renderer; it keeps prepared text as long as its channels and records live. */
export function createRecordRenderer(): RenderRecords {
  // Building an object for each record and serialising it costs five times as much as writing prepared text.
  const frames = new WeakMap<Channel, Frame>();
  const tailsOfUnits = new Map<string | undefined, Tails>();
  const writeTime = createTimeWriter();

  function findTails(unit: string | undefined): Tails {
    let tails = tailsOfUnits.get(unit);
    if (tails === undefined) {
      tails = createTails(unit);
      if (tailsOfUnits.size >= MAXIMUM_UNITS) tailsOfUnits.clear();
      tailsOfUnits.set(unit, tails);
    }
    return tails;
  }

  function findFrame(channel: Channel, before: Frame | undefined): Frame {
    if (before?.next?.channel === channel) return before.next;
    let frame = frames.get(channel);
    if (frame === undefined) {
      frame = createFrame(channel, findTails(channel.unit));
      frames.set(channel, frame);
    }
    if (before !== undefined) before.next = frame;
    return frame;
  }

  function write(
    writer: JsonWriter,
    records: readonly ChannelRecord[],
    { asset, hasDetails, hasLabels }: Omit<Rendered, 'bytes'>,
  ): void {
    const begin = asset === undefined ? undefined : `${BEGIN}"asset":${JSON.stringify(asset)},`;
    let frame: Frame | undefined;
    for (const record of records) {
      if (record.failure !== undefined) {
        writer.text(begin ?? BEGIN);
        writer.text(renderFailure(record, hasDetails));
        continue;
      }
      frame = findFrame(record.channel, frame);
      const { head, tails } = frame;
      writer.text(begin === undefined ? head : begin + head.slice(BEGIN.length));
      writeValue(writer, record.channel.valueType, record.value);
      writeTime(writer, record.timestampMs);
      if (hasLabels) writer.text(renderLabel(record));
      const isGood = record.quality === 'GOOD' && record.status === undefined;
      if (!hasDetails) writer.bytes(tails.plain);
      else if (isGood) writer.bytes(tails.good);
      else writer.text(`${tails.open}${renderWrite(record)}${renderState(record)}`);
    }
    writer.text(records.length === 0 ? '[]' : ']');
  }

  let recordBytes = RECORD_BYTES;
  return (records: RenderedRecords, { asset, hasDetails = true, hasLabels = false } = {}) => {
    // Requests that share a round on the device, and streams of the same changes, get the very same records, and so the very
    // same bytes.
    const known = records[RENDERED];
    const isSame =
      known?.asset === asset && known?.hasDetails === hasDetails && known.hasLabels === hasLabels;
    if (known !== undefined && isSame) return known.bytes;
    const writer = new JsonWriter(Math.ceil(recordBytes * records.length) + SPARE_BYTES);
    write(writer, records, { asset, hasDetails, hasLabels });
    const bytes = writer.finish();
    // In place of the comma before the first record.
    bytes[0] = OPENING_BRACKET;
    if (records.length > 0) recordBytes = bytes.length / records.length;
    records[RENDERED] = { asset, hasDetails, hasLabels, bytes };
    return bytes;
  };
}

/** Returns a function that writes the time of a record; all values of one answer of a device have the same. */
function createTimeWriter(): (writer: JsonWriter, timestampMs: number) => void {
  let latestMs = Number.NaN;
  let latest: Uint8Array = new Uint8Array();
  return (writer, timestampMs) => {
    if (timestampMs !== latestMs) {
      latestMs = timestampMs;
      latest = encode(`,"timestamp":${timestampMs}`);
    }
    writer.bytes(latest);
  };
}

function createFrame(channel: Channel, tails: Tails): Frame {
  const { name, valueType } = channel;
  const members = `${SUCCESS},"name":${JSON.stringify(name)},"valueType":"${valueType}","value":`;
  return { channel, head: flatten(`${BEGIN}${members}`), tails, next: undefined };
}

function createTails(unit: string | undefined): Tails {
  const open = unit === undefined ? '' : `,"unit":${JSON.stringify(unit)}`;
  return { open, good: encode(`${open},"quality":"GOOD"}`), plain: encode(`${open}}`) };
}

// A `Buffer` keeps all of the piece of memory that it is a part of.
function encode(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text));
}

/** Returns the name of a value. */
function renderLabel({ channel, value }: ChannelRecord): string {
  const label = value === undefined ? undefined : labelOf(channel?.labels, value);
  return label === undefined ? '' : `,"label":${JSON.stringify(label)}`;
}

/** Returns the end of a record. */
function renderState(record: ChannelRecord): string {
  const { outcome, isDryRun: dryRun, isWholeStructure: wholeStructure } = record;
  const members = JSON.stringify({ ...qualityOf(record), outcome, wholeStructure, dryRun });
  return members === '{}' ? '}' : `,${members.slice(1)}`;
}

/** Returns the values that only a write has. */
function renderWrite({ channel, requested, readBack }: ChannelRecord): string {
  if (channel === undefined) return '';
  const { valueType } = channel;
  const asked = requested === undefined ? '' : `,"requestedValue":${formatValue(valueType, requested)}`;
  return readBack === undefined ? asked : `${asked},"readBack":${formatValue(valueType, readBack)}`;
}

/** Returns the sentences of a failure with their codes. */
function renderReasons({ reasons }: ChannelFailureRecord['failure']): string {
  return reasons === undefined ? '' : `,"reasons":${JSON.stringify(showCodes(reasons))}`;
}

function renderFailure(record: ChannelFailureRecord, hasDetails: boolean): string {
  const { channel, name, failure, timestampMs, asked } = record;
  const channelStatus = { channelFlag: 'FAILURE', exceptionMessage: failure.message };
  const head = JSON.stringify({ channelStatus, name, valueType: channel?.valueType });
  const tail = JSON.stringify({ timestamp: timestampMs, unit: channel?.unit });
  // In the type that the client gave in its request: the channel may have another one, or not exist.
  const value = asked === undefined ? '' : `"value":${formatValue(asked.valueType, asked.value)},`;
  const details = hasDetails ? `${renderWrite(record)}${renderReasons(failure)}${renderState(record)}` : '}';
  return `${head.slice(1, -1)},${value}${tail.slice(1, -1)}${details}`;
}
