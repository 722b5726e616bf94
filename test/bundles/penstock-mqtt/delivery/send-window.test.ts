import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import * as fc from 'fast-check';

import { SendWindow } from '../../../../bundles/penstock-mqtt/delivery/send-window.ts';
import type { Release, Urgency } from '../../../../bundles/penstock-mqtt/delivery/send-window.ts';
import { propertyTest } from '../../../property/property-test.ts';

const never = new AbortController().signal;

/** Requests places and keeps the order in which they are granted. */
function createAsker(window: SendWindow) {
  const granted: { readonly name: string; readonly release: Release }[] = [];
  return {
    granted,
    names: () => granted.map(({ name }) => name),
    ask(urgency: Urgency, name: string, signal = never): Promise<void> {
      return window.acquire(urgency, signal).then((release) => void granted.push({ name, release }));
    },
  };
}

test('no more places are granted than the window has', async () => {
  const window = new SendWindow(2);
  const asker = createAsker(window);
  for (const name of ['a', 'b', 'c']) void asker.ask('LIVE', name);
  await setImmediate();
  assert.deepEqual(asker.names(), ['a', 'b']);
  asker.granted[0]?.release();
  asker.granted[0]?.release();
  await setImmediate();
  assert.deepEqual(asker.names(), ['a', 'b', 'c']);
  assert.equal(window.used, 2);
});

test('the backlog uses at most half of the window', async () => {
  const asker = createAsker(new SendWindow(4));
  for (const name of ['1', '2', '3']) void asker.ask('BACKLOG', name);
  void asker.ask('LIVE', 'live');
  await setImmediate();
  assert.deepEqual(asker.names(), ['1', '2', 'live']);
});

test('live messages come first, and the backlog gets every fourth place', async () => {
  const asker = createAsker(new SendWindow(1));
  void asker.ask('LIVE', 'first');
  for (let index = 0; index < 3; index += 1) void asker.ask('BACKLOG', 'old');
  for (let index = 0; index < 6; index += 1) void asker.ask('LIVE', 'new');
  for (let index = 0; index < 10; index += 1) {
    await setImmediate();
    asker.granted.at(-1)?.release();
  }
  assert.deepEqual(asker.names(), ['first', 'new', 'new', 'old', 'new', 'new', 'new', 'old', 'new', 'old']);
});

test('an aborted wait takes no place', async () => {
  const window = new SendWindow(1);
  const asker = createAsker(window);
  await asker.ask('LIVE', 'a');
  const controller = new AbortController();
  const waiting = asker.ask('LIVE', 'b', controller.signal);
  controller.abort(new Error('stopped'));
  await assert.rejects(waiting, /stopped/);
  await assert.rejects(window.acquire('LIVE', controller.signal), /stopped/);
  void asker.ask('LIVE', 'c');
  asker.granted[0]?.release();
  await setImmediate();
  assert.deepEqual(asker.names(), ['a', 'c']);
});

test('a smaller window grants nothing until enough places are returned, a larger one at once', async () => {
  const window = new SendWindow(2);
  const asker = createAsker(window);
  for (const name of ['a', 'b', 'c']) void asker.ask('LIVE', name);
  window.resize(1);
  await setImmediate();
  asker.granted[0]?.release();
  await setImmediate();
  assert.deepEqual(asker.names(), ['a', 'b']);
  window.resize(2);
  await setImmediate();
  assert.deepEqual(asker.names(), ['a', 'b', 'c']);
});

test('whenIdle resolves when every place is returned', async () => {
  const window = new SendWindow(2);
  await window.whenIdle();
  const release = await window.acquire('LIVE', never);
  let isIdle = false;
  const idle = window.whenIdle().then(() => (isIdle = true));
  await setImmediate();
  assert.equal(isIdle, false);
  release();
  await idle;
});

propertyTest(
  'every wait ends once places are returned, and the limits hold throughout',
  fc.asyncProperty(
    fc.integer({ min: 1, max: 6 }),
    fc.array(fc.constantFrom<Urgency>('LIVE', 'BACKLOG'), { maxLength: 40 }),
    async (limit, urgencies) => {
      const window = new SendWindow(limit);
      const held: { readonly urgency: Urgency; readonly release: Release }[] = [];
      let done = 0;
      for (const urgency of urgencies) {
        void window.acquire(urgency, never).then((release) => held.push({ urgency, release }));
      }
      while (done < urgencies.length) {
        await setImmediate();
        assert.ok(held.length > 0, 'a place is granted');
        assert.ok(held.length <= limit);
        const backlog = held.filter(({ urgency }) => urgency === 'BACKLOG').length;
        assert.ok(backlog <= Math.max(1, Math.floor(limit / 2)));
        held.shift()?.release();
        done += 1;
      }
    },
  ),
);
