import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { MemoryJournal } from '../../../support/memory-journal.ts';
import { startFakeBroker } from '../../../support/fake-broker.ts';
import type { BrokerScript, PublishedMessage } from '../../../support/fake-broker.ts';
import { findFreePort } from '../../../support/free-ports.ts';
import { makeSettings } from '../connection-settings.ts';
import { startSender, until } from '../running-sender.ts';

interface Content {
  readonly first: number;
  readonly last: number;
  readonly backlog?: boolean;
  readonly samples?: readonly { readonly sequence: number }[];
}

const NO_STATE = { stateTopic: '' };

function contentOf({ payload }: PublishedMessage): Content {
  return JSON.parse(payload) as Content;
}

function sequencesOf(messages: readonly PublishedMessage[]): readonly number[] {
  return messages.flatMap((message) => (contentOf(message).samples ?? []).map(({ sequence }) => sequence));
}

function sizesOf(messages: readonly PublishedMessage[]): readonly number[] {
  return messages.map((message) => contentOf(message).samples?.length ?? 0);
}

async function start(t: TestContext, script: BrokerScript = {}, declared: object = {}) {
  const broker = await startFakeBroker(t, script);
  const running = startSender(t, makeSettings(broker.port, { ...NO_STATE, ...declared }));
  return { broker, ...running };
}

test('live samples are sent in order and acknowledged to the journal', async (t) => {
  const { broker, journal, report } = await start(t);
  await until(() => report().state === 'OK');
  for (let index = 0; index < 50; index += 1) journal.take('boiler');
  await journal.acknowledgedUpTo(50);
  assert.deepEqual(
    sequencesOf(broker.messages),
    Array.from({ length: 50 }, (_, index) => index + 1),
  );
  assert.ok(broker.messages.every((message) => contentOf(message).backlog === undefined));
});

test('entries of other recorders are acknowledged with those of this one', async (t) => {
  const { journal, report } = await start(t);
  await until(() => report().state === 'OK');
  journal.take('boiler', 'value', 40);
  await journal.acknowledgedUpTo(41);
});

test('the journal is acknowledged up to the first message without PUBACK only', async (t) => {
  const { broker, journal, report } = await start(
    t,
    { puback: (message) => (contentOf(message).first === 3 ? undefined : 0) },
    { samplesPerMessage: 1 },
  );
  await until(() => report().state === 'OK');
  for (let index = 0; index < 6; index += 1) journal.take('boiler');
  await broker.received(6);
  // The connection ends for want of the PUBACK, and the same entries come again as backlog.
  await broker.connected(2);
  assert.ok(Math.max(0, ...journal.acknowledgements) < 3);
});

test('samples from before the connection are backlog, and those after it are not', async (t) => {
  const broker = await startFakeBroker(t);
  const settings = makeSettings(broker.port, { ...NO_STATE, samplesPerMessage: 1 });
  const { journal } = startSender(t, settings, { journals: new Map() });
  await journal.acknowledged();
  journal.take('boiler');
  journal.take('boiler');
  await journal.acknowledgedUpTo(2);
  journal.take('boiler');
  await journal.acknowledgedUpTo(3);
  assert.deepEqual(
    sequencesOf(broker.messages).toSorted((one, other) => one - other),
    [1, 2, 3],
  );
  assert.equal(contentOf(broker.messages.at(-1) ?? assert.fail()).backlog, undefined);
});

test('live samples go on while a long backlog drains at its rate', async (t) => {
  const port = await findFreePort();
  const declared = { ...NO_STATE, samplesPerMessage: 1, backlogMessagesPerSecond: 1 };
  const { journal } = startSender(t, makeSettings(port, declared));
  await journal.acknowledged();
  const broker = await startFakeBroker(t);
  const { journal: other, report } = startSender(t, makeSettings(broker.port, declared), {
    journals: new Map([['fast', journal]]),
  });
  assert.equal(other, journal);
  for (let index = 0; index < 200; index += 1) journal.take('boiler');
  await until(() => report().state === 'OK');
  const newest = journal.take('boiler');
  await until(() => sequencesOf(broker.messages).includes(newest));
  assert.ok(broker.messages.length < 200, 'the backlog is still to come');
  assert.ok((report().counters?.['backlog'] ?? 0) > 0);
});

test('the next part of a backlog is read while the one before it is sent', async (t) => {
  const broker = await startFakeBroker(t, { puback: () => undefined });
  const journal = new MemoryJournal();
  await journal.acknowledged();
  for (let index = 0; index < 5000; index += 1) journal.take('boiler');
  startSender(t, makeSettings(broker.port, { ...NO_STATE, window: 1 }), {
    journals: new Map([['fast', journal]]),
  });
  await broker.received(1);
  await until(() => journal.reads.some((after) => after > 0 && after < 5000));
});

for (const [name, code] of [
  ['not authorized', 0x87],
  ['quota exceeded', 0x97],
] as const) {
  test(`a message that the broker refuses (${name}) is held, named in the status, and sent later`, async (t) => {
    let isRefusing = true;
    const { broker, journal, report, counter } = await start(t, {
      puback: () => (isRefusing ? code : 0),
    });
    await until(() => report().state === 'OK');
    journal.take('boiler');
    await until(() => report().state === 'ERROR');
    assert.match(
      report().detail ?? '',
      new RegExp(`^recorder "fast": the broker refused "penstock/north/fast": ${name} .*; again in \\d+ s$`),
    );
    journal.take('boiler');
    await until(() => (counter('refused') ?? 0) >= 3);
    assert.deepEqual(journal.acknowledgements, []);
    isRefusing = false;
    await journal.acknowledgedUpTo(2);
    await until(() => report().state === 'OK');
    assert.equal(broker.connections, 1);
    assert.deepEqual(new Set(sequencesOf(broker.messages)), new Set([1, 2]));
  });
}

const BY_ASSET = { topic: 'plant/{asset}', samplesPerMessage: 1 };
const isOfPump = ({ topic }: PublishedMessage): boolean => topic === 'plant/pump';

test('a topic that is refused for so long that its samples are deleted gets a gap, and the others no repeats', async (t) => {
  let isRefusing = true;
  const { broker, journal, report, counter } = await start(
    t,
    { puback: (message) => (isRefusing && isOfPump(message) ? 0x87 : 0) },
    BY_ASSET,
  );
  await until(() => report().state === 'OK');
  for (let index = 0; index < 10; index += 1) journal.take(index % 2 === 0 ? 'boiler' : 'pump');
  await until(() => (counter('samples') ?? 0) === 5 && counter('heldTopics') === 1);
  journal.trim(6);
  isRefusing = false;
  await journal.acknowledgedUpTo(10);
  const arrived = broker.messages.filter((message) => !isOfPump(message));
  assert.deepEqual(sequencesOf(arrived), [1, 3, 5, 7, 9]);
  const gap = broker.messages.find(({ topic }) => topic === 'penstock/north/fast/gap');
  assert.match(gap?.payload ?? '', /"reason":"RETENTION"/);
  const pump = sequencesOf(broker.messages.filter(isOfPump));
  assert.deepEqual(pump.slice(-2), [8, 10]);
});

test('a refused topic is tried with a small message, and the rest follows in full ones', async (t) => {
  let isRefusing = true;
  const { broker, journal, report, counter } = await start(
    t,
    { puback: (message) => (isRefusing && isOfPump(message) ? 0x87 : 0) },
    { topic: 'plant/{asset}' },
  );
  await until(() => report().state === 'OK');
  for (let index = 0; index < 3000; index += 1) journal.take('pump');
  await until(() => counter('heldTopics') === 1 && sizesOf(broker.messages).includes(100));
  isRefusing = false;
  await journal.acknowledgedUpTo(3000);
  const pump = sequencesOf(broker.messages.filter(isOfPump));
  assert.equal(new Set(pump).size, 3000);
  assert.ok(Math.max(...sizesOf(broker.messages)) === 500);
});

test('other topics in the settings lose nothing that is held', async (t) => {
  const { broker, sender, journal, report, counter } = await start(
    t,
    { puback: (message) => (isOfPump(message) ? 0x87 : 0) },
    BY_ASSET,
  );
  await until(() => report().state === 'OK');
  for (let index = 0; index < 10; index += 1) journal.take(index % 2 === 0 ? 'boiler' : 'pump');
  await until(() => (counter('samples') ?? 0) === 5 && counter('heldTopics') === 1);
  sender.change(makeSettings(broker.port, { ...NO_STATE, topic: 'other/{asset}' }));
  await journal.acknowledgedUpTo(10);
  await until(() => report().state === 'OK');
  const others = broker.messages.filter(({ topic }) => topic === 'other/pump');
  assert.deepEqual(sequencesOf(others), [2, 4, 6, 8, 10]);
});

test('more refused topics than can be held let the recorder wait, and nothing is lost', async (t) => {
  let isRefusing = true;
  const { broker, journal, report, counter } = await start(
    t,
    { puback: () => (isRefusing ? 0x87 : 0) },
    { topic: '{channel}', window: 100, backlogMessagesPerSecond: 10_000 },
  );
  await until(() => report().state === 'OK');
  for (let index = 0; index < 600; index += 1) journal.take('boiler', `c${index}`);
  await until(() => counter('heldTopics') === 500);
  assert.equal(report().state, 'ERROR');
  isRefusing = false;
  await journal.acknowledgedUpTo(600);
  assert.equal(new Set(sequencesOf(broker.messages)).size, 600);
});

test('a topic at which a broker without reason codes ends the connection is held, and the others go on', async (t) => {
  const { broker, journal, report, counter } = await start(t, { cutsAt: isOfPump }, BY_ASSET);
  await until(() => report().state === 'OK');
  for (let index = 0; index < 10; index += 1) journal.take(index % 2 === 0 ? 'pump' : 'boiler');
  await until(() => counter('heldTopics') === 1 && report().counters?.['backlog'] === 0);
  assert.equal(broker.connections, 4);
  const arrived = broker.messages.filter((message) => !isOfPump(message));
  assert.deepEqual(new Set(sequencesOf(arrived)), new Set([2, 4, 6, 8, 10]));
  assert.match(report().detail ?? '', /the broker ended 3 connections at "plant\/pump"/);
  assert.deepEqual(journal.acknowledgements, []);
});

test('refused messages are not tried in a loop: the delays grow', async (t) => {
  const { journal, report, counter } = await start(t, { puback: () => 0x87 });
  await until(() => report().state === 'OK');
  for (let index = 0; index < 20; index += 1) journal.take('boiler');
  const startMs = performance.now();
  await until(() => (counter('refused') ?? 0) >= 5);
  // Five delays of at least a second, which pass a hundred times faster here.
  assert.ok(performance.now() - startMs > 40);
  assert.ok((counter('sent') ?? 0) < 10);
});

// mosquitto answers with this code, which a PUBACK may not have (MQTT 5.0, 3.4.2.1).
test('messages that are too large for the broker are sent in smaller ones', async (t) => {
  const { broker, journal, report } = await start(t, {
    puback: ({ payload }) => (payload.length > 1000 ? 0x95 : 0),
  });
  await until(() => report().state === 'OK');
  const tail = Array.from({ length: 100 }, () => journal.take('boiler')).at(-1) ?? 0;
  await journal.acknowledgedUpTo(tail);
  const arrived = broker.messages.filter(({ payload }) => payload.length <= 1000);
  assert.deepEqual(new Set(sequencesOf(arrived)).size, 100);
});

test('the maximum packet size of the broker limits messages before they are sent', async (t) => {
  const { broker, journal, report, counter } = await start(t, { properties: [0x27, 0, 0, 8, 0] });
  await until(() => report().state === 'OK');
  for (let index = 0; index < 200; index += 1) journal.take('boiler');
  await journal.acknowledgedUpTo(200);
  assert.ok(broker.messages.every(({ payload }) => payload.length < 2048));
  assert.equal(counter('refused'), 0);
});

for (const [name, script] of [
  ['by its maximum packet size', { properties: [0x27, 0, 0, 8, 0] }],
  // Not a reason code of a PUBACK: the library ends the connection.
  ['by ends of connections', { puback: ({ payload }) => (payload.length > 4500 ? 0x95 : 0) }],
] as const satisfies readonly (readonly [string, BrokerScript])[]) {
  test(`a sample that the broker finds too large ${name} is left out and named, and the rest arrives`, async (t) => {
    const { broker, journal, report, counter } = await start(t, script);
    await until(() => report().state === 'OK');
    journal.take('boiler');
    journal.takeSample({ asset: 'boiler', valueType: 'STRING', value: 'x'.repeat(5000) });
    for (let index = 0; index < 20; index += 1) journal.take('boiler');
    await journal.acknowledgedUpTo(22);
    const arrived = broker.messages.filter(({ payload }) => payload.length <= 4500);
    assert.deepEqual(
      [...new Set(sequencesOf(arrived))].toSorted((one, other) => one - other),
      Array.from({ length: 22 }, (_, index) => 1 + index).filter((sequence) => sequence !== 2),
    );
    assert.ok(Number(counter('oversized')) >= 1);
    assert.equal(counter('heldTopics'), 0);
    const check = report().checks.find((each) => each.name === 'large samples');
    assert.match(check?.detail ?? '', /^sample 2 of "[^"]+" is left out: \d+ bytes are more than the broker/);
  });
}

test('no more messages are unacknowledged than the receive maximum of the broker', async (t) => {
  const { broker, journal, report } = await start(
    t,
    { properties: [0x21, 0, 3], puback: () => undefined },
    { samplesPerMessage: 1 },
  );
  await until(() => report().state === 'OK');
  for (let index = 0; index < 20; index += 1) journal.take('boiler');
  await broker.connected(2);
  assert.equal(broker.messages.filter((message) => contentOf(message).backlog === undefined).length, 3);
});

test('an error of the journal is named in the status, and reading goes on afterwards', async (t) => {
  const { journal, report } = await start(t);
  await until(() => report().state === 'OK');
  journal.fail(new Error('no recorder "fast" is configured'));
  journal.take('boiler');
  await until(() => report().state === 'ERROR');
  assert.match(report().detail ?? '', /^recorder "fast": no recorder "fast" is configured; again in/);
  journal.fail(undefined);
  await journal.acknowledgedUpTo(1);
  await until(() => report().state === 'OK');
});

test('a gap of the retention is sent when the bundle lagged behind it', async (t) => {
  const port = await findFreePort();
  const first = startSender(t, makeSettings(port, NO_STATE));
  await first.journal.acknowledged();
  for (let index = 0; index < 10; index += 1) first.journal.take('boiler');
  first.journal.trim(6);
  const broker = await startFakeBroker(t);
  startSender(t, makeSettings(broker.port, NO_STATE), { journals: new Map([['fast', first.journal]]) });
  await first.journal.acknowledgedUpTo(10);
  const gap = broker.messages.find(({ topic }) => topic === 'penstock/north/fast/gap');
  assert.match(gap?.payload ?? '', /"gap":\{"reason":"RETENTION","from":0,"to":6,"count":6\}\}$/);
  assert.deepEqual(sequencesOf(broker.messages), [7, 8, 9, 10]);
});

test('without a broker the backlog is known, and a new recorder begins', async (t) => {
  const port = await findFreePort();
  const { sender, journalOf, report } = startSender(
    t,
    makeSettings(port, { ...NO_STATE, recorders: ['fast', 'slow'] }),
  );
  await sender.look();
  for (let index = 0; index < 10; index += 1) journalOf('slow').take('boiler');
  await sender.look();
  assert.equal(report().counters['backlog'], 10);
  assert.equal(report().state, 'WARNING');
  const broker = await startFakeBroker(t);
  sender.change(makeSettings(broker.port, { ...NO_STATE, recorders: ['fast', 'slow'] }));
  await journalOf('slow').acknowledgedUpTo(10);
  assert.equal(sequencesOf(broker.messages).length, 10);
});

test('brokers are tried in turn, at once', async (t) => {
  const closed = await findFreePort();
  const silent = await startFakeBroker(t, { connack: () => undefined });
  const broker = await startFakeBroker(t);
  const brokers = [closed, silent.port, broker.port].map((port) => `mqtt://127.0.0.1:${port}`);
  const { report, journal } = startSender(t, makeSettings(0, { ...NO_STATE, brokers }));
  await until(() => report().state === 'OK');
  assert.equal(report().detail, `connected to mqtt://127.0.0.1:${broker.port}`);
  journal.take('boiler');
  await journal.acknowledgedUpTo(1);
});

test('a broker that ends each connection at once is tried with growing delays', async (t) => {
  const { broker, counter } = await start(t, { afterConnack: () => Buffer.from([0xe0, 1, 0x8e]) });
  const startMs = performance.now();
  await broker.connected(5);
  assert.ok(performance.now() - startMs > 40);
  assert.ok((counter('reconnects') ?? 0) >= 4);
});

test('a refused connection is an error that names the reason', async (t) => {
  const { report } = await start(t, { connack: () => 0x86 });
  await until(() => report().state === 'ERROR');
  assert.match(report().detail ?? '', /refused the connection: bad user name or password \(0x86\)/);
});

test('a change of topics and recorders is applied on the same connection', async (t) => {
  const { broker, sender, journal, journalOf, report } = await start(t);
  await until(() => report().state === 'OK');
  journal.take('boiler');
  await journal.acknowledgedUpTo(1);
  const slow = journalOf('slow');
  await slow.acknowledged();
  slow.take('pump');
  sender.change(
    makeSettings(broker.port, { ...NO_STATE, recorders: ['fast', 'slow'], topic: 'x/{recorder}/{asset}' }),
  );
  await slow.acknowledgedUpTo(1);
  journal.take('boiler');
  await journal.acknowledgedUpTo(2);
  assert.deepEqual(
    broker.messages.map(({ topic }) => topic).toSorted(),
    ['penstock/north/fast', 'x/fast/boiler', 'x/slow/pump'].toSorted(),
  );
  assert.equal(broker.connections, 1);
});

test('a change of the connection makes a new one, and keeps the backlog', async (t) => {
  const { broker, sender, journal, report } = await start(t, { puback: () => undefined });
  await until(() => report().state === 'OK');
  journal.take('boiler');
  await broker.received(1);
  const other = await startFakeBroker(t);
  sender.change(makeSettings(other.port, NO_STATE));
  await journal.acknowledgedUpTo(1);
  assert.deepEqual(sequencesOf(other.messages), [1]);
});

test('stop ends soon although the broker acknowledges nothing', async (t) => {
  const broker = await startFakeBroker(t, { puback: () => undefined });
  const settings = makeSettings(broker.port, NO_STATE, { acknowledgeTimeoutMs: 60_000 });
  const { sender, journal, report } = startSender(t, settings);
  await until(() => report().state === 'OK');
  journal.take('boiler');
  await broker.received(1);
  const startMs = performance.now();
  await sender.stop();
  assert.ok(performance.now() - startMs < 4500, 'within the time of deactivate');
});
