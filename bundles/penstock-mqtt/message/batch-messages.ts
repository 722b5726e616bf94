import type { JournalBatch } from '../../../daemon/software/bundle/runner/context.ts';
import type { TopicTemplate } from './topic-template.ts';
import { formatValue } from './value-text.ts';

/** Message about samples or a gap. */
export interface SampleMessage {
  readonly topic: string;
  /** JSON. */
  readonly payload: string;
  readonly payloadBytes: number;
  /** Sequence numbers of the first and the last of its samples. */
  readonly first: number;
  readonly last: number;
  /** Number of samples; 0 for a gap. */
  readonly samples: number;
  /** Reason of a gap. */
  readonly gap?: JournalBatch['gaps'][number]['reason'];
}

export interface MessageOptions {
  readonly gateway: string;
  readonly recorder: string;
  readonly topic: TopicTemplate;
  readonly gapTopic: TopicTemplate;
  /** True for samples that were taken before the current connection. */
  readonly isBacklog: boolean;
  /** Samples with a higher sequence number are left out. */
  readonly upTo?: number | undefined;
  readonly maximumSamples: number;
  /** Maximum size of a payload; a single sample may exceed it. */
  readonly maximumBytes: number;
}

interface OpenMessage {
  readonly topic: string;
  readonly pieces: string[];
  bytes: number;
  readonly first: number;
  last: number;
}

const CLOSING = ']}';

/**
 * Makes the messages of a batch.
 *
 * Samples of one topic are in one message, until it is full, in the order of their sequence numbers. The messages are in an order in
 * which those of a channel ascend, and a gap is between the samples before and after it.
 */
export function makeMessages(batch: JournalBatch, options: MessageOptions): readonly SampleMessage[] {
  const { gateway, recorder, topic, gapTopic, isBacklog, upTo = Infinity } = options;
  const messages: SampleMessage[] = [];
  const open = new Map<string, OpenMessage>();
  const members = `"gateway":${JSON.stringify(gateway)},"recorder":${JSON.stringify(recorder)}`;
  const flag = isBacklog ? ',"backlog":true' : '';
  const seriesTexts = batch.series.map(({ asset, channel, valueType }) => ({
    topic: topic.format({ gateway, recorder, asset, channel }),
    text: `"asset":${JSON.stringify(asset)},"channel":${JSON.stringify(channel)},"valueType":"${valueType}"`,
    valueType,
  }));
  const headBytes = Buffer.byteLength(`{${members},"first":,"last":${flag},"samples":[`) + 32;
  const close = (message: OpenMessage): void => {
    open.delete(message.topic);
    const { first, last, pieces } = message;
    const payload = `{${members},"first":${first},"last":${last}${flag},"samples":[${pieces.join(',')}${CLOSING}`;
    const payloadBytes = Buffer.byteLength(payload);
    messages.push({ topic: message.topic, payload, payloadBytes, first, last, samples: pieces.length });
  };
  const closeAll = (): void => [...open.values()].forEach(close);
  const gaps = batch.gaps.filter(({ sequence }) => sequence <= upTo);
  let nextGap = 0;
  const putGapsBefore = (sequence: number): void => {
    for (let gap = gaps[nextGap]; gap !== undefined && gap.sequence <= sequence; gap = gaps[nextGap]) {
      closeAll();
      messages.push(makeGapMessage(gap, gapTopic, options, members + flag));
      nextGap += 1;
    }
  };
  for (const [index, sequence] of batch.sequences.entries()) {
    if (sequence > upTo) break;
    putGapsBefore(sequence);
    const series = seriesTexts[batch.seriesIndexes[index] ?? -1];
    if (series === undefined) continue;
    const piece = `{"sequence":${sequence},${series.text}${formatSample(batch, index, series.valueType)}}`;
    const bytes = Buffer.byteLength(piece) + 1;
    let message = open.get(series.topic);
    if (message !== undefined && isFull(message, bytes, options)) {
      close(message);
      message = undefined;
    }
    if (message === undefined) {
      message = { topic: series.topic, pieces: [], bytes: headBytes, first: sequence, last: sequence };
      open.set(series.topic, message);
    }
    message.pieces.push(piece);
    message.bytes += bytes;
    message.last = sequence;
  }
  putGapsBefore(upTo);
  closeAll();
  return messages;
}

function isFull({ pieces, bytes }: OpenMessage, added: number, options: MessageOptions): boolean {
  return pieces.length >= options.maximumSamples || bytes + added > options.maximumBytes;
}

function formatSample(batch: JournalBatch, index: number, valueType: string): string {
  const { timestamps, takenAt, values, qualities, statuses } = batch;
  const value = values[index];
  const status = statuses[index];
  return [
    `,"timestamp":${timestamps[index]},"takenAt":${takenAt[index]}`,
    value === undefined ? '' : `,"value":${formatValue(valueType, value)}`,
    `,"quality":"${qualities[index]}"`,
    status === undefined ? '' : `,"status":${JSON.stringify(status)}`,
  ].join('');
}

function makeGapMessage(
  gap: JournalBatch['gaps'][number],
  template: TopicTemplate,
  { gateway, recorder }: MessageOptions,
  members: string,
): SampleMessage {
  const { sequence, reason, asset, channel, fromMs, toMs, count } = gap;
  const topic = template.format({ gateway, recorder });
  const content = JSON.stringify({ reason, asset, channel, from: fromMs, to: toMs, count });
  const payload = `{${members},"first":${sequence},"last":${sequence},"gap":${content}}`;
  return {
    topic,
    payload,
    payloadBytes: Buffer.byteLength(payload),
    first: sequence,
    last: sequence,
    samples: 0,
    gap: reason,
  };
}
