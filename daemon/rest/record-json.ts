import type { Channel } from '../channel/channel.ts';
import type { ChannelFailureRecord, ChannelRecord } from '../channel/channel-record.ts';
import { formatValue } from '../channel/value-json.ts';

/** The parts of a success record that never change, around value and time. */
interface Frame {
  readonly head: string;
  readonly tail: string;
}

const SUCCESS = '{"channelStatus":{"channelFlag":"SUCCESS"}';

/** Returns the result records of a read or write as a JSON array. */
export type RenderRecords = (records: readonly ChannelRecord[]) => Buffer;

/** Creates a renderer; it keeps prepared text as long as its channels and records live. */
export function createRecordRenderer(): RenderRecords {
  // Building an object for each record and serialising it costs four times as much as joining prepared text.
  const frames = new WeakMap<Channel, Frame>();
  // Requests that share a round on the device get the very same records, and so the very same bytes.
  const rendered = new WeakMap<readonly ChannelRecord[], Buffer>();

  function keepFrame(channel: Channel): Frame {
    const frame = createFrame(channel);
    frames.set(channel, frame);
    return frame;
  }

  function render(record: ChannelRecord): string {
    if (record.failure !== undefined) return renderFailure(record);
    const { channel, value, timestampMs } = record;
    const frame = frames.get(channel) ?? keepFrame(channel);
    return `${frame.head}${formatValue(channel.valueType, value)},"timestamp":${timestampMs}${frame.tail}`;
  }

  return (records) => {
    const known = rendered.get(records);
    if (known !== undefined) return known;
    let text = '[';
    for (const record of records) text += text.length === 1 ? render(record) : `,${render(record)}`;
    const bytes = Buffer.from(`${text}]`);
    rendered.set(records, bytes);
    return bytes;
  };
}

function createFrame({ name, valueType, unit }: Channel): Frame {
  return {
    head: `${SUCCESS},"name":${JSON.stringify(name)},"valueType":"${valueType}","value":`,
    tail: unit === undefined ? '}' : `,"unit":${JSON.stringify(unit)}}`,
  };
}

function renderFailure({ channel, name, failure, timestampMs, asked }: ChannelFailureRecord): string {
  const channelStatus = { channelFlag: 'FAILURE', exceptionMessage: failure.message };
  const head = JSON.stringify({ channelStatus, name, valueType: channel?.valueType });
  const tail = JSON.stringify({ timestamp: timestampMs, unit: channel?.unit });
  // In the type that the client gave in its request: the channel may have another one, or not exist.
  const value = asked === undefined ? '' : `"value":${formatValue(asked.valueType, asked.value)},`;
  return `${head.slice(0, -1)},${value}${tail.slice(1)}`;
}
