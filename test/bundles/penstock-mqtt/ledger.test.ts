import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

import { openMqttLink } from '../../../bundles/mqtt/broker/mqtt-link.ts';
import { Sender } from '../../../bundles/penstock-mqtt/delivery/sender.ts';
import type { MqttSettings } from '../../../bundles/penstock-mqtt/settings.ts';
import { SenderStatus } from '../../../bundles/penstock-mqtt/status.ts';
import { createBundleJournal } from '../../support/bundle-journal.ts';
import { startMosquitto } from '../../support/mosquitto.ts';
import { openMqttLedger, sequencesOf } from '../../support/mqtt-ledger.ts';
import type { MqttLedger } from '../../support/mqtt-ledger.ts';
import { createRandom } from '../../support/random.ts';
import { createRecordedJournal, createSample } from '../../support/recorded-journal.ts';
import type { Owner } from '../../support/temporary-directory.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';
import { fastTime, makeSettings } from './connection-settings.ts';
import { until } from './running-sender.ts';

const { test } = testsThatNeed('mosquitto');

const SEED = Number(process.env['MQTT_SEED'] ?? 7);
/** Timeouts that a busy machine keeps. */
const USUAL = { connectTimeoutMs: 3000, acknowledgeTimeoutMs: 3000 };

/** A sender that reads the journal on disk of a gateway, as small segments as its bounds say. */
async function startLedger(owner: Owner, settings: MqttSettings, maximumBytes = 2 ** 40) {
  const bounds = { maximumBytes, maximumAgeMs: 2 ** 45, reservedBytes: 0 };
  const recorded = await createRecordedJournal(owner, bounds);
  recorded.recorders.push({ pid: 'slow', assets: [{ asset: 'tank' }] });
  const journal = createBundleJournal(recorded.open);
  // A consumer begins at its first call.
  for (const recorder of ['fast', 'slow']) await journal(recorder).acknowledged();
  const status = new SenderStatus();
  const sender = new Sender(
    { gateway: 'north', journal, status, time: fastTime, openLink: openMqttLink, onCommand: () => {} },
    settings,
  );
  sender.start();
  owner.after(() => sender.stop());
  const taken = new Map<string, number[]>();
  let last = 0;
  return {
    sender,
    journal: recorded.journal,
    cursorOf: (recorder: string) => recorded.cursors.find(`bundle:sender/${recorder}`)?.sequence ?? 0,
    report: () => status.report(sender.levels),
    /** Values that a recorder has taken: each is another number. */
    takenBy: (recorder: string): readonly number[] => taken.get(recorder) ?? [],
    /** Takes samples, each by one recorder. */
    take: async (count: number, random: () => number, recorders: readonly string[] = ['fast']) => {
      const samples = Array.from({ length: count }, (_, index) => {
        const recorder = recorders[Math.floor(random() * recorders.length)] ?? 'fast';
        // Random, so that a frame is not short.
        last += 1 + Math.floor(random() * 1e6);
        taken.set(recorder, [...(taken.get(recorder) ?? []), last]);
        return createSample({
          channel: index % 3 === 0 ? 'flow' : 'level',
          recorders: [recorder],
          value: last,
        });
      });
      await recorded.record(...samples);
    },
  };
}

/** Returns the values of a recorder that have arrived. */
function arrivedOf({ messages }: MqttLedger, recorder: string): ReadonlySet<number | undefined> {
  const own = messages.filter((message) => message.recorder === recorder);
  return new Set(own.flatMap(({ samples = [] }) => samples.map(({ value }) => value)));
}

test('retention that overtakes a backlog is a gap with the exact number of samples that are missing', async (t) => {
  const random = createRandom(SEED);
  const broker = await startMosquitto(t);
  const ledger = await openMqttLedger(t, broker.port);
  const { take, takenBy, journal, cursorOf, report } = await startLedger(
    t,
    makeSettings(broker.port, { samplesPerMessage: 7 }, USUAL),
    12_000,
  );
  await until(() => report().state === 'OK');
  for (let round = 0; round < 3; round += 1) {
    await take(20, random);
    const before = journal.tail;
    await until(() => cursorOf('fast') >= before);
    await broker.kill();
    await until(() => report().state !== 'OK');
    // Several segments, and the oldest are deleted before the broker is back.
    for (let index = 0; index < 60; index += 1) await take(30, random);
    await journal.trim();
    await broker.start();
    await until(() => cursorOf('fast') >= journal.tail);
  }
  await ledger.when((now) => arrivedOf(now, 'fast').has(takenBy('fast').at(-1)));
  const arrived = arrivedOf(ledger, 'fast');
  const missing = takenBy('fast').filter((value) => !arrived.has(value));
  const gaps = ledger.messages.flatMap(({ first, gap }) => (gap === undefined ? [] : [{ first, ...gap }]));
  const named = new Map(gaps.map(({ first, count, reason }) => [first, { count, reason }]));
  assert.ok(missing.length > 100, `the retention deleted ${missing.length}`);
  assert.ok([...named.values()].every(({ reason }) => reason === 'RETENTION'));
  const counted = [...named.values()].reduce((sum, { count }) => sum + count, 0);
  assert.equal(counted, missing.length, `seed ${SEED}`);
  t.diagnostic(
    `${takenBy('fast').length} samples, ${missing.length} deleted in ${named.size} gaps, seed ${SEED}`,
  );
});

test('changes of broker, recorders, topic and window with a backlog lose nothing', async (t) => {
  const random = createRandom(SEED);
  const brokers = [await startMosquitto(t), await startMosquitto(t)] as const;
  const ledgers = [
    await openMqttLedger(t, brokers[0].port),
    await openMqttLedger(t, brokers[1].port),
  ] as const;
  const draw = (): MqttSettings => {
    const broker = random() < 0.5 ? brokers[0] : brokers[1];
    return makeSettings(
      broker.port,
      {
        recorders: random() < 0.7 ? ['fast', 'slow'] : ['fast'],
        topic: random() < 0.5 ? 'plant/{recorder}' : 'plant/{recorder}/{asset}/{channel}',
        window: 1 + Math.floor(random() * 20),
        samplesPerMessage: 1 + Math.floor(random() * 50),
        qos: random() < 0.8 ? 1 : 0,
      },
      USUAL,
    );
  };
  const both = { recorders: ['fast', 'slow'] };
  const { sender, take, takenBy, journal, cursorOf, report } = await startLedger(
    t,
    makeSettings(brokers[0].port, both, USUAL),
  );
  await until(() => report().state === 'OK');
  for (let round = 0; round < 25; round += 1) {
    for (let index = 0; index < 4; index += 1) await take(50, random, ['fast', 'slow']);
    sender.change(draw());
    await delay(random() * 60);
  }
  sender.change(makeSettings(brokers[1].port, both, USUAL));
  await until(() => Math.min(cursorOf('fast'), cursorOf('slow')) >= journal.tail);
  const isThere = (recorder: string): boolean => {
    const [one, other] = ledgers.map((ledger) => arrivedOf(ledger, recorder));
    return takenBy(recorder).every(
      (sequence) => one?.has(sequence) === true || other?.has(sequence) === true,
    );
  };
  await until(() => isThere('fast') && isThere('slow'));
  // On one connection a channel ascends; two connections may repeat, as backlog.
  for (const ledger of ledgers) {
    const live = sequencesOf(
      ledger.messages,
      ({ backlog, recorder }) => backlog !== true && recorder === 'fast',
    );
    assert.equal(new Set(live).size, live.length, `a live sample is never repeated as live, seed ${SEED}`);
  }
  t.diagnostic(`${takenBy('fast').length + takenBy('slow').length} samples, seed ${SEED}`);
});
