import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import type { JournalBatch } from '../../../../daemon/software/bundle/runner/context.ts';
import { makeMessages } from '../../../../bundles/penstock-mqtt/message/batch-messages.ts';
import type { MessageOptions } from '../../../../bundles/penstock-mqtt/message/batch-messages.ts';
import { parseTopicTemplate } from '../../../../bundles/penstock-mqtt/message/topic-template.ts';
import { propertyTest } from '../../../property/property-test.ts';

const NAMES = ['gateway', 'recorder', 'asset', 'channel'] as const;
const SERIES = [
  { asset: 'boiler', channel: 'flow', valueType: 'DOUBLE' },
  { asset: 'boiler', channel: 'count', valueType: 'LONG' },
  { asset: 'pump', channel: 'flow', valueType: 'DOUBLE' },
] as const;

function makeOptions(more: Partial<MessageOptions> = {}, topic = 'p/{recorder}'): MessageOptions {
  return {
    gateway: 'north',
    recorder: 'fast',
    topic: parseTopicTemplate('topic', topic, NAMES),
    gapTopic: parseTopicTemplate('gapTopic', 'p/{recorder}/gap', NAMES),
    isBacklog: false,
    maximumSamples: 500,
    maximumBytes: 100_000,
    ...more,
  };
}

/** Makes a batch of samples `[sequence, index of the series]`. */
function makeBatch(
  samples: readonly (readonly [number, number])[],
  more: Partial<JournalBatch> = {},
): JournalBatch {
  return {
    series: SERIES,
    sequences: samples.map(([sequence]) => sequence),
    seriesIndexes: samples.map(([, index]) => index),
    values: samples.map(([sequence, index]) => (index === 1 ? BigInt(sequence) : sequence / 4)),
    qualities: samples.map(() => 'GOOD'),
    statuses: samples.map(() => undefined),
    timestamps: samples.map(([sequence]) => 1000 + sequence),
    takenAt: samples.map(([sequence]) => 2000 + sequence),
    gaps: [],
    next: samples.at(-1)?.[0] ?? 0,
    tail: samples.at(-1)?.[0] ?? 0,
    ...more,
  };
}

const gap = { sequence: 12, reason: 'RETENTION', fromMs: 1, toMs: 2, count: 40 } as const;

interface Content {
  readonly gateway: string;
  readonly recorder: string;
  readonly first: number;
  readonly last: number;
  readonly backlog?: true;
  readonly samples?: readonly {
    readonly sequence: number;
    readonly asset: string;
    readonly channel: string;
  }[];
  readonly gap?: object;
}
const parse = (payload: string): Content => JSON.parse(payload) as Content;

test('a message names gateway, recorder, first and last sequence, and its samples', () => {
  const batch = makeBatch([
    [10, 0],
    [12, 1],
  ]);
  const [message, ...others] = makeMessages(batch, makeOptions());
  assert.deepEqual(others, []);
  assert.equal(message?.topic, 'p/fast');
  assert.equal(
    message.payload,
    '{"gateway":"north","recorder":"fast","first":10,"last":12,"samples":[' +
      '{"sequence":10,"asset":"boiler","channel":"flow","valueType":"DOUBLE","timestamp":1010,"takenAt":2010,"value":2.5,"quality":"GOOD"},' +
      '{"sequence":12,"asset":"boiler","channel":"count","valueType":"LONG","timestamp":1012,"takenAt":2012,"value":12,"quality":"GOOD"}]}',
  );
  assert.deepEqual([message.first, message.last, message.samples], [10, 12, 2]);
});

test('a sample of quality BAD has no value, and its status', () => {
  const batch = makeBatch([[1, 0]], { values: [undefined], qualities: ['BAD'], statuses: ['SensorFailure'] });
  const [message] = makeMessages(batch, makeOptions());
  assert.match(message?.payload ?? '', /"takenAt":2001,"quality":"BAD","status":"SensorFailure"\}\]\}$/);
});

test('messages of the backlog say so', () => {
  const [message] = makeMessages(makeBatch([[1, 0]], { gaps: [gap] }), makeOptions({ isBacklog: true }));
  assert.equal(parse(message?.payload ?? '').backlog, true);
  assert.equal(parse(makeMessages(makeBatch([[1, 0]]), makeOptions())[0]?.payload ?? '').backlog, undefined);
});

test('a topic with the name of the asset has messages of its own', () => {
  const samples = [
    [1, 0],
    [2, 2],
    [3, 1],
  ] as const;
  const messages = makeMessages(makeBatch(samples), makeOptions({}, 'p/{asset}'));
  assert.deepEqual(
    messages.map(({ topic, first, last }) => [topic, first, last]),
    [
      ['p/boiler', 1, 3],
      ['p/pump', 2, 2],
    ],
  );
});

test('a gap is a message on the topic of gaps, between the samples before and after it', () => {
  const samples = [
    [11, 0],
    [13, 0],
  ] as const;
  const messages = makeMessages(makeBatch(samples, { gaps: [gap] }), makeOptions());
  assert.deepEqual(
    messages.map(({ topic, first }) => [topic, first]),
    [
      ['p/fast', 11],
      ['p/fast/gap', 12],
      ['p/fast', 13],
    ],
  );
  assert.deepEqual(parse(messages[1]?.payload ?? ''), {
    gateway: 'north',
    recorder: 'fast',
    first: 12,
    last: 12,
    gap: { reason: 'RETENTION', from: 1, to: 2, count: 40 },
  });
});

test('a gap after all samples, or without any, is not left out', () => {
  assert.equal(makeMessages(makeBatch([[11, 0]], { gaps: [gap] }), makeOptions()).length, 2);
  assert.equal(makeMessages(makeBatch([], { gaps: [gap] }), makeOptions()).length, 1);
});

test('samples and gaps after upTo are left out', () => {
  const samples = [
    [10, 0],
    [11, 0],
    [13, 0],
  ] as const;
  const messages = makeMessages(makeBatch(samples, { gaps: [gap] }), makeOptions({ upTo: 11 }));
  assert.deepEqual(
    messages.map(({ first, last }) => [first, last]),
    [[10, 11]],
  );
});

test('a sample that is larger than a message may be is a message of its own', () => {
  const values = ['x'.repeat(5000), 'y', 'z'];
  const samples = [
    [1, 0],
    [2, 0],
    [3, 0],
  ] as const;
  const messages = makeMessages(makeBatch(samples, { values }), makeOptions({ maximumBytes: 1024 }));
  assert.deepEqual(
    messages.map(({ first, last }) => [first, last]),
    [
      [1, 1],
      [2, 3],
    ],
  );
});

propertyTest(
  'each sample is in one message, within the limits, and those of a channel ascend',
  fc.property(
    fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { maxLength: 80 }),
    fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 80, maxLength: 80 }),
    fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 3 }),
    fc.integer({ min: 1, max: 20 }),
    fc.integer({ min: 400, max: 2000 }),
    fc.constantFrom('p', 'p/{asset}', 'p/{asset}/{channel}'),
    (sequences, indexes, gaps, maximumSamples, maximumBytes, topic) => {
      const samples = sequences
        .toSorted((one, other) => one - other)
        .map((sequence, index) => [sequence, indexes[index] ?? 0] as const);
      const batch = makeBatch(samples, {
        gaps: gaps
          .toSorted((one, other) => one - other)
          .map((sequence) => ({ sequence, reason: 'DISK' as const, fromMs: 1, toMs: 2, count: 40 })),
      });
      const messages = makeMessages(batch, makeOptions({ maximumSamples, maximumBytes }, topic));
      const contents = messages.map(({ payload }) => parse(payload));
      const sent = contents.flatMap((content) => content.samples ?? []);
      assert.deepEqual(
        sent.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
        batch.sequences,
      );
      for (const list of Map.groupBy(sent, ({ asset, channel }) => `${asset}/${channel}`).values()) {
        const own = list.map(({ sequence }) => sequence);
        assert.deepEqual(
          own,
          own.toSorted((a, b) => a - b),
        );
      }
      assert.equal(contents.filter((content) => content.gap !== undefined).length, gaps.length);
      for (const [index, { payload, payloadBytes, first, last, samples: count }] of messages.entries()) {
        const content = contents[index];
        assert.equal(payloadBytes, Buffer.byteLength(payload));
        assert.deepEqual([content?.first, content?.last], [first, last]);
        assert.ok(count <= maximumSamples);
        assert.ok(count <= 1 || payloadBytes <= maximumBytes);
      }
    },
  ),
);
