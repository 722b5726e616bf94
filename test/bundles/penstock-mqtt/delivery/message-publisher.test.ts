import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LinkEnded } from '../../../../bundles/mqtt/broker/broker-link.ts';
import type { BrokerLink } from '../../../../bundles/mqtt/broker/broker-link.ts';
import { MessageRate } from '../../../../bundles/mqtt/delivery/message-rate.ts';
import { HeldTopics } from '../../../../bundles/penstock-mqtt/delivery/held-topics.ts';
import { MessagePublisher } from '../../../../bundles/penstock-mqtt/delivery/message-publisher.ts';
import { SendWindow } from '../../../../bundles/penstock-mqtt/delivery/send-window.ts';
import type { SampleMessage } from '../../../../bundles/penstock-mqtt/message/batch-messages.ts';
import { makeSettings } from '../connection-settings.ts';

const message: SampleMessage = { topic: 'a', payload: '{}', payloadBytes: 2, first: 5, last: 5, samples: 1 };

/** A publisher on links that end with each message, unless `accepts` says otherwise. */
function createBench() {
  const held = new HeldTopics();
  const nowMs = 0;
  const publisher = new MessagePublisher({
    held,
    status: { count: () => {}, setOversized: () => {} },
    time: { nowMs: () => nowMs, sleep: () => Promise.resolve() },
    onHeld: () => {},
  });
  return {
    held,
    /** Publishes the message on a new connection; returns the time until the topic is tried again. */
    connect: async ({ accepts = false, hasTopics = true, isSilent = false } = {}) => {
      const end = new LinkEnded('closed', { isSilent });
      const link: BrokerLink = {
        receiveMaximum: 10,
        maximumPacketBytes: 10_000,
        ended: new Promise(() => {}),
        publish: () => (accepts ? Promise.resolve() : Promise.reject(end)),
        subscribe: () => Promise.resolve(),
        close: () => Promise.resolve(),
        end: () => {},
      };
      publisher.begin();
      const [arrival] = await publisher.publishAll([message], {
        link,
        window: new SendWindow(5),
        rate: new MessageRate(1000),
        settings: makeSettings(1).delivery,
        isBacklog: false,
        tried: 'a',
        signal: new AbortController().signal,
        fail: () => {},
      });
      if (accepts) await arrival;
      else await assert.rejects(arrival ?? Promise.resolve());
      publisher.recordLoss(end, hasTopics);
      const dueMs = held.find('a')?.dueMs;
      return dueMs === undefined ? undefined : dueMs - nowMs;
    },
  };
}

test('a topic at which connections end is held from the third on, for ten seconds and then twice as long', async () => {
  const { held, connect } = createBench();
  const pauses: (number | undefined)[] = [];
  for (let index = 0; index < 11; index += 1) pauses.push(await connect());
  assert.deepEqual(
    pauses.map((pause) => pause && pause / 1000),
    [undefined, undefined, 10, 20, 40, 80, 160, 320, 600, 600, 600],
  );
  assert.equal(held.find('a')?.after, 4);
});

test('a message that arrives ends the suspicion', async () => {
  const { connect } = createBench();
  await connect();
  await connect();
  await connect({ accepts: true });
  assert.equal(await connect(), undefined);
});

test('a broker that is silent, and a single topic, are not suspected', async () => {
  const { connect } = createBench();
  for (let index = 0; index < 5; index += 1) {
    assert.equal(await connect({ isSilent: true }), undefined);
    assert.equal(await connect({ hasTopics: false }), undefined);
  }
});
