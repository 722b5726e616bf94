import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { systemRandom } from '../../../../../daemon/base/random.ts';
import type { Proposal, ScanRun } from '../../../../../daemon/channel/discovery.ts';
import { BackgroundScans } from '../../../../../daemon/plant/discovery/background-scans.ts';
import type { Identity } from '../../../../../daemon/security/identity/identity.ts';
import { createBackgroundScanRoutes } from '../../../../../daemon/server/rest/plant/background-scan-routes.ts';
import { openScanBench } from '../../../plant/discovery/scan-bench.ts';
import { openApplication, toIdentity } from '../../http/application-fixture.ts';

const ROOT = '/services/drivers/v1/_scans';
const BODY = { type: 'scanned', settings: { line: 'new', speed: 4711 } };
const DRIVERS = {
  properties: {
    drivers: { items: { properties: { speed: { writeOnly: true }, line: {} } } },
  },
};

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly settings: unknown;
  readonly findings: readonly unknown[];
  readonly result?: { readonly isComplete: boolean; readonly connection?: { readonly settings: unknown } };
}

async function openBench(t: TestContext) {
  const parts = await openScanBench(t);
  const { clock, logger } = parts;
  const backgroundScans = new BackgroundScans({ clock, logger, random: systemRandom });
  const stored = new Map<string, Identity>([['configuration', toIdentity('configuration')]]);
  const application = await openApplication(
    t,
    createBackgroundScanRoutes({
      ...parts,
      backgroundScans,
      identities: { find: (name) => stored.get(name) },
      configuration: { describe: () => DRIVERS },
    }),
  );
  const ask = (method: string, path: string, role = 'configuration', body?: unknown) =>
    application.send(method, path, {
      headers: { Authorization: role, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const show = async (path: string): Promise<Shown> => JSON.parse((await ask('GET', path)).text) as Shown;
  return { ...parts, ask, show, stored };
}

test('a scan that is begun has an address, at which it shows what it does and what it found', async (t) => {
  const { ask, show, bench } = await openBench(t);
  const held = Promise.withResolvers<Proposal>();
  const begun = Promise.withResolvers<undefined>();
  bench.onScan = (_options, { report }) => {
    report({ type: 'progress', done: 1, total: 4, text: 'unit 1' });
    report({ type: 'found', subject: 'unit 1', kind: 'UNIT', text: 'answers', fields: { unitId: 1 } });
    begun.resolve(undefined);
    return held.promise;
  };
  const { status, headers, text } = await ask('POST', ROOT, 'configuration', BODY);
  assert.equal(status, 201);
  const path = String(headers['location']);
  assert.equal(path, `${ROOT}/${(JSON.parse(text) as Shown).id}`);
  await begun.promise;
  const running = await show(path);
  assert.partialDeepStrictEqual(running, {
    type: 'scanned',
    target: 'line new',
    state: 'RUNNING',
    done: 1,
    total: 4,
    text: 'unit 1',
    found: 1,
    findings: [{ subject: 'unit 1', kind: 'UNIT', text: 'answers', fields: { unitId: 1 } }],
  });
  const list = JSON.parse((await ask('GET', ROOT)).text) as { readonly scans: readonly object[] };
  const { settings: _, findings: __, ...head } = running;
  assert.deepEqual(list, { scans: [head] });
  held.resolve({ assets: [{ pid: 'one' }], notes: [{ message: 'a note', reasons: [] }] });
  await held.promise;
  const { state, result } = await showEnded(show, path);
  assert.equal(state, 'ENDED');
  assert.partialDeepStrictEqual(result, { isComplete: true, assets: [{ pid: 'one' }], notes: ['a note'] });
});

test('secrets among the settings of a scan are not shown again', async (t) => {
  const { ask, show } = await openBench(t);
  const { text } = await ask('POST', ROOT, 'configuration', BODY);
  assert.ok(!text.includes('4711'), text);
  const { settings, result } = await showEnded(show, `${ROOT}/${(JSON.parse(text) as Shown).id}`);
  const hidden = { line: 'new', speed: { isSet: true } };
  assert.deepEqual(settings, hidden);
  assert.deepEqual(result?.connection, { type: 'scanned', settings: hidden });
});

test('a scan is stopped with what it found, then forgotten', async (t) => {
  const { ask, show, bench } = await openBench(t);
  bench.onScan = (_options, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ assets: [], notes: [] }));
    });
  const path = String((await ask('POST', ROOT, 'configuration', BODY)).headers['location']);
  assert.equal((await ask('POST', `${path}/_stop`)).status, 204);
  const { state, result } = await showEnded(show, path);
  assert.deepEqual([state, result?.isComplete], ['ENDED', false]);
  assert.equal((await ask('POST', `${path}/_stop`)).status, 204);
  assert.equal((await ask('DELETE', path)).status, 204);
  assert.equal((await ask('GET', path)).status, 404);
});

test('another identity with the same permission finds, stops and forgets nothing', async (t) => {
  const { ask, show } = await openBench(t);
  const path = String((await ask('POST', ROOT, 'configuration', BODY)).headers['location']);
  await showEnded(show, path);
  assert.deepEqual(JSON.parse((await ask('GET', ROOT, 'admin')).text), { scans: [] });
  const statuses = [
    (await ask('GET', path, 'admin')).status,
    (await ask('POST', `${path}/_stop`, 'admin')).status,
    (await ask('DELETE', path, 'admin')).status,
    (await ask('GET', path)).status,
  ];
  assert.deepEqual(statuses, [404, 404, 404, 200]);
});

test('a scan of an identity that was removed since, or lost the permission, ends', async (t) => {
  const { ask, show, bench, stored } = await openBench(t);
  for (const present of [
    undefined,
    { ...toIdentity('configuration'), permissions: [] },
    { ...toIdentity('configuration'), id: 'another of the same name' },
  ]) {
    const begun = Promise.withResolvers<ScanRun>();
    bench.onScan = (_options, run) => {
      begun.resolve(run);
      return new Promise((resolve) => {
        run.signal.addEventListener('abort', () => resolve({ assets: [], notes: [] }));
      });
    };
    stored.set('configuration', toIdentity('configuration'));
    const path = String((await ask('POST', ROOT, 'configuration', BODY)).headers['location']);
    const { report, signal } = await begun.promise;
    report({ type: 'progress', done: 1, text: 'unit 1' });
    assert.equal(signal.aborted, false);
    if (present === undefined) stored.delete('configuration');
    else stored.set('configuration', present);
    report({ type: 'progress', done: 2, text: 'unit 2' });
    assert.equal((await showEnded(show, path)).result?.isComplete, false);
  }
});

test('what cannot be scanned is refused at once, as is a second scan of the same device', async (t) => {
  const { ask, bench } = await openBench(t);
  const held = Promise.withResolvers<Proposal>();
  bench.onScan = () => held.promise;
  const statuses = [
    (await ask('POST', ROOT, 'configuration', { type: 'none', settings: {} })).status,
    (await ask('POST', ROOT, 'configuration', { type: 'scanned', settings: {} })).status,
    (await ask('POST', ROOT, 'assets', BODY)).status,
    (await ask('POST', ROOT, 'configuration', BODY)).status,
    (await ask('POST', ROOT, 'configuration', BODY)).status,
  ];
  assert.deepEqual(statuses, [400, 400, 403, 201, 409]);
  held.resolve({ assets: [], notes: [] });
});

async function showEnded(show: (path: string) => Promise<Shown>, path: string): Promise<Shown> {
  for (;;) {
    const shown = await show(path);
    if (shown.state !== 'RUNNING') return shown;
  }
}
