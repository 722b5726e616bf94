import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LinkEnded } from '../../../../bundles/mqtt/broker/broker-link.ts';
import { keepConnected, toLinkEnded } from '../../../../bundles/mqtt/delivery/keep-connected.ts';
import type { ConnectionOutcome } from '../../../../bundles/mqtt/delivery/keep-connected.ts';

const FAILED: ConnectionOutcome = { end: new LinkEnded('refused'), lastedMs: 0 };
const STABLE: ConnectionOutcome = { end: new LinkEnded('lost'), lastedMs: 60_000 };
const WALKING: ConnectionOutcome = { end: new LinkEnded('away'), lastedMs: 5, isWalking: true };

/** Plays outcomes of connections to brokers, and returns what was done: tried brokers, delays, and changes. */
async function play(outcomes: readonly (ConnectionOutcome | 'CHANGED')[], brokers: number) {
  const done: string[] = [];
  const stopped = new AbortController();
  let settings = new AbortController();
  const left = [...outcomes];
  await keepConnected(
    {
      phase: 0,
      time: {
        nowMs: () => 0,
        random: () => 0,
        sleep: (ms) => {
          done.push(`${ms} ms`);
          if (left[0] === 'CHANGED') {
            left.shift();
            settings.abort();
          }
          return Promise.resolve();
        },
      },
      status: {
        setDisconnected: () => {},
        forgetBrokers: () => void done.push('forgotten'),
        count: () => {},
      },
      begin: () => {
        settings = new AbortController();
        return settings.signal;
      },
      countBrokers: () => brokers,
      connect: (broker) => {
        done.push(`broker ${broker}`);
        const outcome = left.shift();
        if (outcome === 'CHANGED') settings.abort();
        if (outcome === undefined) stopped.abort();
        return Promise.resolve(outcome === undefined || outcome === 'CHANGED' ? FAILED : outcome);
      },
    },
    stopped.signal,
  );
  return done;
}

test('the brokers of a round are tried at once, and the next round after a delay', async () => {
  const done = await play([FAILED, FAILED, FAILED], 2);
  assert.deepEqual(done, ['broker 0', 'broker 1', '1000 ms', 'broker 0', 'broker 1', 'forgotten']);
});

test('a broker whose connection lasted is tried again, one that was left for the next one is not', async () => {
  const done = await play([STABLE, WALKING], 2);
  assert.deepEqual(done, ['broker 0', '1000 ms', 'broker 0', 'broker 1', 'forgotten']);
});

test('a change of the settings begins with the first broker, also during a delay', async () => {
  const whileConnected = await play([FAILED, 'CHANGED'], 3);
  assert.deepEqual(whileConnected, ['broker 0', 'broker 1', 'forgotten', 'broker 0', 'forgotten']);
  const whileWaiting = await play([FAILED, STABLE, 'CHANGED'], 2);
  assert.deepEqual(whileWaiting, ['broker 0', 'broker 1', '1000 ms', 'forgotten', 'broker 0', 'forgotten']);
});

test('an error is the end of a connection with its message', () => {
  const cause = new TypeError('no such thing');
  assert.equal(toLinkEnded(cause).message, 'no such thing');
  assert.equal(toLinkEnded(STABLE.end), STABLE.end);
});
