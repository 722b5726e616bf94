import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailureRecord, ChannelRecord } from '../../../channel/channel-record.ts';
import { qualityOf } from '../../../channel/quality.ts';
import { labelOf } from '../../../channel/value-labels.ts';
import { formatValue } from '../../../channel/value-json.ts';
import { flatten, JsonWriter } from '../json-writer.ts';
import { writeValue } from '../value-writer.ts';

/** The parts of a success record that do not change, around value and time. */
interface Frame {
  readonly channel: Channel;
  /** Without the brace that begins the record. */
  readonly head: string;
  /** Without the brace that ends the record. */
  readonly tail: string;
  /** The tail of a good value, with the brace. */
  readonly goodTail: string;
  /** The tail of a record without details, with the brace. */
  readonly plainTail: string;
  /** The frame that was used after this one, which is most likely so again. */
  next: Frame | undefined;
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
  const writeTime = createTimeWriter();

  function findFrame(channel: Channel, before: Frame | undefined): Frame {
    if (before?.next?.channel === channel) return before.next;
    let frame = frames.get(channel);
    if (frame === undefined) {
      frame = createFrame(channel);
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
    const member = asset === undefined ? '' : `"asset":${JSON.stringify(asset)},`;
    const following = flatten(`,{${member}`);
    let begin = `[{${member}`;
    let frame: Frame | undefined;
    for (const record of records) {
      writer.text(begin);
      begin = following;
      if (record.failure !== undefined) {
        writer.text(renderFailure(record, hasDetails));
        continue;
      }
      frame = findFrame(record.channel, frame);
      writer.text(frame.head);
      writeValue(writer, record.channel.valueType, record.value);
      writeTime(writer, record.timestampMs);
      if (hasLabels) writer.text(renderLabel(record));
      if (!hasDetails) {
        writer.text(frame.plainTail);
        continue;
      }
      const isPlain = record.quality === 'GOOD' && record.status === undefined;
      writer.text(isPlain ? frame.goodTail : `${frame.tail}${renderWrite(record)}${renderState(record)}`);
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
    if (records.length > 0) recordBytes = bytes.length / records.length;
    records[RENDERED] = { asset, hasDetails, hasLabels, bytes };
    return bytes;
  };
}

/** Returns a function that writes the time of a record; all values of one answer of a device have the same. */
function createTimeWriter(): (writer: JsonWriter, timestampMs: number) => void {
  let latestMs = Number.NaN;
  let latest = new Uint8Array();
  return (writer, timestampMs) => {
    if (timestampMs !== latestMs) {
      latestMs = timestampMs;
      latest = new Uint8Array(Buffer.from(`,"timestamp":${timestampMs}`));
    }
    writer.bytes(latest);
  };
}

function createFrame(channel: Channel): Frame {
  const { name, valueType, unit } = channel;
  const tail = unit === undefined ? '' : `,"unit":${JSON.stringify(unit)}`;
  return {
    channel,
    head: flatten(`${SUCCESS},"name":${JSON.stringify(name)},"valueType":"${valueType}","value":`),
    tail,
    plainTail: flatten(`${tail}}`),
    goodTail: flatten(`${tail},"quality":"GOOD"}`),
    next: undefined,
  };
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

function renderFailure(record: ChannelFailureRecord, hasDetails: boolean): string {
  const { channel, name, failure, timestampMs, asked } = record;
  const channelStatus = { channelFlag: 'FAILURE', exceptionMessage: failure.message };
  const head = JSON.stringify({ channelStatus, name, valueType: channel?.valueType });
  const tail = JSON.stringify({ timestamp: timestampMs, unit: channel?.unit });
  // In the type that the client gave in its request: the channel may have another one, or not exist.
  const value = asked === undefined ? '' : `"value":${formatValue(asked.valueType, asked.value)},`;
  const details = hasDetails ? `${renderWrite(record)}${renderState(record)}` : '}';
  return `${head.slice(1, -1)},${value}${tail.slice(1, -1)}${details}`;
}
