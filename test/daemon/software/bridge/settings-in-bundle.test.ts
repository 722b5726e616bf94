import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

import { createBundle } from '../../../support/bundle-program.ts';
import { createBridgeBench } from '../../../support/bundle-program-bench.ts';
import type { Owner } from '../../../support/temporary-directory.ts';

const SCHEMA = {
  type: 'object',
  properties: { url: { type: 'string' }, limit: { type: 'integer', minimum: 1, default: 10 } },
  required: ['url'],
};
const SOURCE = `
  export function activate({ settings, status }) {
    const show = (current) => status({ state: 'OK', detail: JSON.stringify(current), counters: { sent: current.limit ?? 0 } });
    show(settings.current);
    settings.onChange((changed) => {
      if (changed.limit === 13) throw new Error('thirteen is unlucky');
      show(changed);
    });
  }`;

async function createBench(owner: Owner, settings: Record<string, unknown> | undefined) {
  const configured = { settings };
  const bench = await createBridgeBench(owner, { findSettings: () => configured.settings });
  const bundle = createBundle(owner, { source: SOURCE, settings: SCHEMA });
  const statusOf = () => bench.supervisor.list()[0];
  return {
    ...bench,
    bundle,
    statusOf,
    /** Applies another configuration. */
    change(changed: Record<string, unknown> | undefined): void {
      configured.settings = changed;
      bench.settings.announce();
    },
    async awaitDetail(detail: string): Promise<void> {
      while (statusOf()?.report?.detail !== detail) await wait(10);
    },
  };
}

test('a bundle gets its settings with their defaults, and changed ones without a restart', async (t) => {
  const bench = await createBench(t, { url: 'http://a' });
  await bench.supervisor.start(bench.bundle);
  await bench.awaitDetail('{"url":"http://a","limit":10}');
  assert.deepEqual(bench.statusOf()?.report?.counters, { sent: 10 });
  const pid = bench.statusOf()?.pid;
  assert.equal(bench.statusOf()?.settings, undefined);
  bench.change({ url: 'http://b', limit: 3 });
  assert.deepEqual(bench.statusOf()?.settings, { state: 'PENDING' });
  await bench.awaitDetail('{"url":"http://b","limit":3}');
  while (bench.statusOf()?.settings?.state !== 'ACCEPTED') await wait(10);
  assert.equal(bench.statusOf()?.pid, pid);
  bench.change({ url: 'http://b', limit: 13 });
  await bench.awaitDetail('the new settings were not accepted: thirteen is unlucky');
  assert.equal(bench.statusOf()?.report?.state, 'ERROR');
  assert.deepEqual(bench.statusOf()?.report?.counters, { sent: 3 });
  assert.deepEqual(bench.statusOf()?.settings, { state: 'REFUSED', detail: 'thirteen is unlucky' });
  assert.equal(bench.statusOf()?.pid, pid);
});

test('a bundle whose settings are missing waits for them, starts, and stops when they are removed', async (t) => {
  const bench = await createBench(t, undefined);
  await bench.supervisor.start(bench.bundle);
  const {
    state,
    cause = '',
    causeCode,
    causeReasons = [],
    pid,
  } = bench.statusOf() ?? assert.fail('it is listed');
  assert.deepEqual([state, causeCode, pid], ['INSTALLED', 'BUNDLE_SETTINGS_INVALID', undefined]);
  assert.match(cause, /waits for its settings: url: .*penstock bundle configure org\.example\.test/);
  assert.deepEqual(
    causeReasons.map(({ code }) => code),
    ['SETTINGS_AWAITED', 'AT_KEY', 'MISSING', 'EXPECTED_KIND', 'SEE_COMMAND'],
  );
  bench.change({ url: 'http://a' });
  await bench.awaitStatus((status) => status.state === 'ACTIVE');
  assert.equal(bench.statusOf()?.cause, undefined);
  assert.equal(bench.statusOf()?.causeCode, undefined);
  bench.change(undefined);
  await bench.awaitStatus(
    (status) => status.state === 'INSTALLED' && status.pid === undefined,
    bench.states.length,
  );
  assert.match(bench.statusOf()?.cause ?? '', /waits for its settings/);
  assert.equal(bench.statusOf()?.report, undefined);
});

test('a bundle without a schema has no settings, and one that ended no report', async (t) => {
  const bench = await createBridgeBench(t, { findSettings: () => ({ url: 'http://a' }) });
  await bench.supervisor.start(createBundle(t, { source: SOURCE }));
  const reportOf = () => bench.supervisor.list()[0]?.report;
  while (reportOf() === undefined) await wait(10);
  assert.equal(reportOf()?.detail, '{}');
  process.kill(bench.supervisor.list()[0]?.pid ?? 0, 'SIGKILL');
  const failed = await bench.awaitStatus(({ state }) => state === 'FAILED');
  assert.equal(failed.report, undefined);
});

test('the checks of a report come with their remedies', async (t) => {
  const bench = await createBridgeBench(t, {});
  const checks = [
    { name: 'server a', state: 'OK', detail: 'it answers' },
    { name: 'server b', state: 'ERROR', detail: 'it refuses', remedy: 'correct the password' },
  ];
  const source = `export function activate({ status }) {
    status({ state: 'ERROR', checks: ${JSON.stringify(checks)} });
  }`;
  await bench.supervisor.start(createBundle(t, { source }));
  const reportOf = () => bench.supervisor.list()[0]?.report;
  while (reportOf() === undefined) await wait(10);
  assert.deepEqual(reportOf()?.checks, checks);
});
