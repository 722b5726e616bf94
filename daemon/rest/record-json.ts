import type { Channel } from '../channel/channel.ts';
import type { ChannelFailureRecord, ChannelRecord } from '../channel/channel-record.ts';
import { formatValue } from '../channel/value-json.ts';

/** The parts of a success record that never change, around value and time. */
interface Frame {
  readonly head: string;
  readonly tail: string;
}

const SUCCESS = '{"channelStatus":{"channelFlag":"SUCCESS"}';

// Building an object for each record and serialising it costs four times as much as joining prepared text.
const frames = new WeakMap<Channel, Frame>();
// Requests that share a round on the device get the very same records, and so the very same bytes.
const rendered = new WeakMap<readonly ChannelRecord[], Buffer>();

/** Writes the result records of a read or write as a JSON array. */
export function renderRecords(records: readonly ChannelRecord[]): Buffer {
  const known = rendered.get(records);
  if (known !== undefined) return known;
  let text = '[';
  for (const record of records) text += text.length === 1 ? renderRecord(record) : `,${renderRecord(record)}`;
  const bytes = Buffer.from(`${text}]`);
  rendered.set(records, bytes);
  return bytes;
}

function renderRecord(record: ChannelRecord): string {
  if (record.failure !== undefined) return renderFailure(record);
  const { channel, value, timestampMs } = record;
  const frame = frames.get(channel) ?? createFrame(channel);
  return `${frame.head}${formatValue(channel.valueType, value)},"timestamp":${timestampMs}${frame.tail}`;
}

function createFrame(channel: Channel): Frame {
  const { name, valueType, unit } = channel;
  const frame = {
    head: `${SUCCESS},"name":${JSON.stringify(name)},"valueType":"${valueType}","value":`,
    tail: unit === undefined ? '}' : `,"unit":${JSON.stringify(unit)}}`,
  };
  frames.set(channel, frame);
  return frame;
}

function renderFailure({ channel, name, failure, timestampMs, asked }: ChannelFailureRecord): string {
  const channelStatus = { channelFlag: 'FAILURE', exceptionMessage: failure.message };
  const head = JSON.stringify({ channelStatus, name, valueType: channel?.valueType });
  const tail = JSON.stringify({ timestamp: timestampMs, unit: channel?.unit });
  // In the form of the type that the client gave, as in its request: the channel may have another one, or not exist.
  const value = asked === undefined ? '' : `"value":${formatValue(asked.valueType, asked.value)},`;
  return `${head.slice(0, -1)},${value}${tail.slice(1)}`;
}
