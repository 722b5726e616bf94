import type { Channel } from '../channel/channel.ts';
import type { ChannelFailureRecord, ChannelRecord } from '../channel/channel-record.ts';
import { qualityOf } from '../channel/quality.ts';
import { formatValue } from '../channel/value-json.ts';

/** The parts of a success record that do not change, around value and time. */
interface Frame {
  readonly head: string;
  /** Without the brace that ends the record. */
  readonly tail: string;
  /** The tail of a good value, with the brace. */
  readonly goodTail: string;
}

/** Records as they were written last. */
interface Rendered {
  readonly asset: string | undefined;
  readonly bytes: Buffer;
}

const SUCCESS = '{"channelStatus":{"channelFlag":"SUCCESS"}';

// V8 keeps an object of more than 128 KiB in a space of its own, where a text costs half as much again.
const LONGEST_TEXT = 65_536;

/**
 * Returns the result records of a read or write as a JSON array.
 *
 * @param asset pid that each record names, where records of several assets come together
 */
export type RenderRecords = (records: readonly ChannelRecord[], asset?: string) => Buffer;

/** Creates a renderer; it keeps prepared text as long as its channels and records live. */
export function createRecordRenderer(): RenderRecords {
  // Building an object for each record and serialising it costs four times as much as joining prepared text.
  const frames = new WeakMap<Channel, Frame>();
  // Requests that share a round on the device, and streams of the same changes, get the very same records, and so the very
  // same bytes.
  const rendered = new WeakMap<readonly ChannelRecord[], Rendered>();

  function keepFrame(channel: Channel): Frame {
    const frame = createFrame(channel);
    frames.set(channel, frame);
    return frame;
  }

  function render(record: ChannelRecord): string {
    if (record.failure !== undefined) return renderFailure(record);
    const { channel, value, timestampMs } = record;
    const frame = frames.get(channel) ?? keepFrame(channel);
    const isPlain = record.quality === 'GOOD' && record.status === undefined;
    const tail = isPlain ? frame.goodTail : `${frame.tail}${renderReadBack(record)}${renderState(record)}`;
    return `${frame.head}${formatValue(channel.valueType, value)},"timestamp":${timestampMs}${tail}`;
  }

  return (records, asset) => {
    const known = rendered.get(records);
    if (known !== undefined && known.asset === asset) return known.bytes;
    const name = asset === undefined ? undefined : `{"asset":${JSON.stringify(asset)},`;
    const parts: Buffer[] = [];
    let text = '[';
    let separator = '';
    for (const record of records) {
      const own = render(record);
      text += separator + (name === undefined ? own : name + own.slice(1));
      separator = ',';
      if (text.length < LONGEST_TEXT) continue;
      parts.push(Buffer.from(text));
      text = '';
    }
    const last = Buffer.from(`${text}]`);
    const bytes = parts.length === 0 ? last : Buffer.concat([...parts, last]);
    rendered.set(records, { asset, bytes });
    return bytes;
  };
}

function createFrame({ name, valueType, unit }: Channel): Frame {
  const tail = unit === undefined ? '' : `,"unit":${JSON.stringify(unit)}`;
  return {
    head: `${SUCCESS},"name":${JSON.stringify(name)},"valueType":"${valueType}","value":`,
    tail,
    goodTail: `${tail},"quality":"GOOD"}`,
  };
}

/** Returns the end of a record. */
function renderState(record: ChannelRecord): string {
  const { outcome, isDryRun: dryRun } = record;
  const members = JSON.stringify({ ...qualityOf(record), outcome, dryRun });
  return members === '{}' ? '}' : `,${members.slice(1)}`;
}

function renderReadBack({ channel, readBack }: ChannelRecord): string {
  if (channel === undefined || readBack === undefined) return '';
  return `,"readBack":${formatValue(channel.valueType, readBack)}`;
}

function renderFailure(record: ChannelFailureRecord): string {
  const { channel, name, failure, timestampMs, asked } = record;
  const channelStatus = { channelFlag: 'FAILURE', exceptionMessage: failure.message };
  const head = JSON.stringify({ channelStatus, name, valueType: channel?.valueType });
  const tail = JSON.stringify({ timestamp: timestampMs, unit: channel?.unit });
  // In the type that the client gave in its request: the channel may have another one, or not exist.
  const value = asked === undefined ? '' : `"value":${formatValue(asked.valueType, asked.value)},`;
  return `${head.slice(0, -1)},${value}${tail.slice(1, -1)}${renderReadBack(record)}${renderState(record)}`;
}
