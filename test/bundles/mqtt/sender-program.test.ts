import assert from 'node:assert/strict';
import { test } from 'node:test';

import { runSender } from '../../../bundles/mqtt/sender-program.ts';
import type { DeclaredSettings } from '../../../bundles/mqtt/settings/settings-reader.ts';
import { machineTime } from '../../../bundles/mqtt/time.ts';
import type { BundleReport } from '../../../daemon/software/bundle/runner/context.ts';

/** Runs a sender that refuses settings without a topic. */
function start(current: DeclaredSettings) {
  const state = { topic: '', fault: undefined as string | undefined, isStopped: false };
  const reports: BundleReport[] = [];
  const listeners: ((settings: DeclaredSettings) => void)[] = [];
  const context = {
    settings: {
      current,
      onChange: (listener: (settings: DeclaredSettings) => void) => void listeners.push(listener),
    },
    status: (report: BundleReport) => void reports.push(report),
  };
  const stop = runSender(
    context,
    {
      apply: ({ topic }) => {
        if (typeof topic !== 'string') throw new TypeError('topic: missing');
        state.topic = topic;
      },
      setSettingsFault: (fault) => (state.fault = fault),
      report: () => ({
        state: state.fault === undefined ? 'OK' : 'ERROR',
        detail: state.fault ?? state.topic,
      }),
      stop: () => {
        state.isStopped = true;
        return Promise.resolve();
      },
    },
    machineTime,
  );
  const change = (settings: DeclaredSettings): void => listeners.forEach((listener) => listener(settings));
  return { state, reports, change, stop };
}

test('settings that cannot be used are refused and reported, the ones before stay, and good ones are taken', async () => {
  const { state, reports, change, stop } = start({});
  change({ topic: 'a' });
  assert.throws(() => change({ topic: 1 }), /^TypeError: topic: missing$/);
  assert.equal(state.topic, 'a');
  change({ topic: 'b' });
  await stop();
  assert.deepEqual(
    reports.map(({ detail }) => detail),
    ['topic: missing', 'a', 'topic: missing', 'b'],
  );
  assert.ok(state.isStopped);
});

test('a report that says the same as the one before is not sent', async () => {
  const { reports, change, stop } = start({ topic: 'a' });
  change({ topic: 'a' });
  await stop();
  assert.equal(reports.length, 1);
});
