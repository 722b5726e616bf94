import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { buildPackage } from '../support/package-builder.ts';
import { startMosquitto } from '../support/mosquitto.ts';
import { openMqttLedger } from '../support/mqtt-ledger.ts';
import type { MqttLedger } from '../support/mqtt-ledger.ts';
import { openSparkplugHost } from '../support/sparkplug-host.ts';
import type { SparkplugHost } from '../support/sparkplug-host.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { AcknowledgedWrites, untilCut } from './acknowledged-writes.ts';
import { buildDebianPackage } from './built-package.ts';
import { ASSET, CLOCK_TOLERANCE_MS, CountedSamples } from './counted-samples.ts';
import { awaitOperations, listPackages, sendPackage } from './deployed-packages.ts';
import { CLIENT_PORT, GatewayOnMachine } from './gateway-on-machine.ts';
import { bootMachine, findObstacle, HOST } from './machine.ts';
import type { Machine } from './machine.ts';

const obstacle = findObstacle();
const options = obstacle === undefined ? {} : { skip: obstacle };
const optionsWithBroker = obstacle === undefined ? needs('mosquitto') : options;
const CUTS = Number(process.env['PENSTOCK_POWER_CUTS'] ?? '5');
const RESOURCES = 40;
const RESOURCE_BYTES = 16_384;
// The cuts are before and after the history has moved samples from the journal to its own file, which it does every 30 s.
const FIRST_CUT_MS = 3000;
const CUT_STEP_MS = 9100;
// The journal is written once a second; on the slow machine, a write takes a part of the next one.
const MAXIMUM_MISSING_MS = 2000;
const SAMPLES_AFTER = 10;

/** A version of the package that is installed over the previous one. */
interface Edition {
  readonly version: string;
  readonly content: Buffer;
  /** SHA-256 of its resources. */
  readonly digests: ReadonlySet<string>;
}

function makeEdition(number: number): Edition {
  const version = `${number}.0.0`;
  const resources = Object.fromEntries(
    Array.from({ length: RESOURCES }, (_, index) => [`data/${index}.bin`, randomBytes(RESOURCE_BYTES)]),
  );
  const main = 'export function activate() {}\n';
  const content = buildPackage({
    symbolicName: 'plant',
    version,
    bundles: [{ symbolicName: 'plant.pump', version, main }],
    resources,
  });
  const digests = new Set(
    Object.values(resources).map((bytes) => createHash('sha256').update(bytes).digest('hex')),
  );
  return { version, content, digests };
}

test(
  'power is cut at any moment: packages are old or new, and nothing acknowledged is lost',
  options,
  async (t) => {
    const packageFile = await buildDebianPackage(createTemporaryDirectory(t));
    const machine = await bootMachine(t, [443, CLIENT_PORT]);
    const gateway = await GatewayOnMachine.install(t, machine, packageFile);
    const writes = new AcknowledgedWrites(gateway);
    let installed = makeEdition(1);
    let durationMs = 0;

    await t.test('a package that apt has installed is there when power is cut at once', async () => {
      await machine.cutPower();
      await machine.boot();
      assert.equal(
        await machine.shell('systemctl is-active penstock.service penstock.socket'),
        'active\nactive\n',
      );
      await gateway.prepare();
      const startedAtMs = performance.now();
      await sendPackage(gateway, installed.content);
      const [operation] = await awaitOperations(gateway);
      assert.equal(operation?.state, 'COMPLETED', operation?.message);
      durationMs = performance.now() - startedAtMs;
      t.diagnostic(`an installation takes ${Math.round(durationMs)} ms`);
    });

    for (let cut = 0; cut < CUTS; cut += 1) {
      await t.test(`cut ${cut + 1} of ${CUTS}`, async () => {
        const next = makeEdition(cut + 2);
        const writing = writes.run();
        const uploading = untilCut(sendPackage(gateway, next.content));
        await pause((durationMs * (cut + 0.5) * 1.4) / CUTS);
        await machine.cutPower();
        await writing;
        const place = await uploading;
        await machine.boot();
        await gateway.ready();
        const operations = await awaitOperations(gateway);
        assert.deepEqual(await writes.findLosses(), []);

        const operation = operations.find(({ id }) => place.endsWith(id));
        if (place !== 'cut') assert.ok(operation, 'an operation that was acknowledged is forgotten');
        const [found] = await listPackages(gateway);
        t.diagnostic(
          `${writes.count} writes, ${place === 'cut' ? 'not acknowledged' : 'acknowledged'}, ${operation?.state ?? ''} ${operation?.message ?? ''}, found ${found?.version}`,
        );
        assert.ok(found !== undefined, 'the package is gone');
        if (found.version === next.version) installed = next;
        assert.equal(found.version, installed.version);
        if (operation !== undefined)
          assert.equal(found.version, operation.state === 'COMPLETED' ? next.version : installed.version);
        assert.deepEqual(found.bundles, [
          { name: 'plant.pump', version: installed.version, state: 'ACTIVE' },
        ]);

        const files = await machine.shell(
          'cd /var/lib/penstock/packages && find store -name "*.bin" -exec sha256sum {} + && find spool staging -mindepth 1',
        );
        const digests = files
          .trim()
          .split('\n')
          .map((line) => line.split(' ')[0] ?? '');
        assert.deepEqual(digests.sort(), [...installed.digests].sort());
      });
    }
  },
);

const EDGE_NODE = 'machine';
/** Each connection that reaches the broker has a number, also one that ends before its birth. */
const MAXIMUM_SKIPPED = 3;

/** Lets the machine send all samples to a broker of the test, by both packages. */
async function sendToBroker(
  t: Owner,
  machine: Machine,
): Promise<{ readonly ledger: MqttLedger; readonly host: SparkplugHost }> {
  const broker = await startMosquitto(t);
  const ledger = await openMqttLedger(t, broker.port);
  const host = await openSparkplugHost(t, broker.port, { edgeNodeId: EDGE_NODE });
  const settings = `--set brokers=mqtt://${HOST}:${broker.port} --set recorders=${ASSET}`;
  await machine.shell(`
    penstock package install penstock-mqtt
    penstock bundle configure penstock-mqtt ${settings}
    penstock package install penstock-sparkplug
    penstock bundle configure penstock-sparkplug ${settings} --set edgeNodeId=${EDGE_NODE}`);
  return { ledger, host };
}

/** Returns the values that a ledger has got. */
function valuesOf({ messages }: MqttLedger): ReadonlySet<number> {
  return new Set(messages.flatMap(({ samples = [] }) => samples.flatMap(({ value }) => value ?? [])));
}

test(
  'power is cut while samples are recorded and sent: what the history has returned is there and arrives',
  optionsWithBroker,
  async (t) => {
    const packageFile = await buildDebianPackage(createTemporaryDirectory(t));
    const machine = await bootMachine(t, [443, CLIENT_PORT]);
    const gateway = await GatewayOnMachine.install(t, machine, packageFile);
    await gateway.prepare();
    const samples = await CountedSamples.record(t, gateway);
    const { ledger, host } = await sendToBroker(t, machine);
    await host.when(({ counts }) => counts.size > 0);
    await samples.readOnceContinued(0, 1);

    for (let cut = 0; cut < CUTS; cut += 1) {
      await t.test(`cut ${cut + 1} of ${CUTS}`, async (each) => {
        const following = samples.followUntilCut();
        await pause(FIRST_CUT_MS + cut * CUT_STEP_MS);
        const bdSeq = Number(host.rules.bdSeq);
        const cutAtMs = performance.now();
        const afterMs = Date.now() + CLOCK_TOLERANCE_MS;
        await machine.cutPower();
        await following;
        await machine.boot();
        await gateway.ready();

        const page = await samples.readOnceContinued(afterMs, SAMPLES_AFTER);
        const rows = page.samples ?? [];
        const before = rows.filter(({ timestamp }) => timestamp <= afterMs);
        const [last, next] = [before.at(-1), rows[before.length]];
        assert.ok(last !== undefined && next !== undefined);
        const missingMs = samples.missingMs(Number(last.value), cutAtMs);
        each.diagnostic(
          `${samples.acknowledgedCount} samples returned, ${before.length} found, the last ${Math.round(missingMs)} ms missing`,
        );
        assert.ok(samples.acknowledgedCount > 0);
        assert.deepEqual(samples.listLost(page), []);
        assert.ok(missingMs < MAXIMUM_MISSING_MS, `${missingMs} ms are missing`);

        const gaps = page.gaps.filter(({ from, to }) => to > last.timestamp && from < next.timestamp);
        assert.ok(gaps.length > 0);
        for (const { from, to, reason } of gaps) {
          assert.equal(reason, 'STOPPED');
          assert.ok(last.timestamp <= from && to <= next.timestamp);
        }
        const values = rows.map(({ value }) => Number(value));
        assert.deepEqual(
          values,
          values.toSorted((a, b) => a - b),
        );
        assert.equal(new Set(values).size, values.length);

        // Right after the cut: the number of the connection goes on, and the death of the one before had its own.
        await host.when(({ rules }) => rules.isOnline && Number(rules.bdSeq) !== bdSeq);
        const step = (Number(host.rules.bdSeq) - bdSeq + 256) % 256;
        assert.ok(step <= MAXIMUM_SKIPPED, `bdSeq ${bdSeq}, then ${String(host.rules.bdSeq)}`);
        await host.when(({ counts }) => counts.has(Number(last.value)));
        assert.deepEqual(host.rules.violations, []);
        each.diagnostic(`bdSeq ${bdSeq}, then ${String(host.rules.bdSeq)}`);
      });
    }
    await ledger.when((current) => valuesOf(current).size > 0);
    // A sender begins with what is recorded from then on.
    const first = Math.min(...valuesOf(ledger));
    const { samples: recorded = [] } = await samples.read();
    const values = recorded.flatMap(({ value }) => (Number(value) >= first ? Number(value) : []));
    assert.ok(values.length > 0);
    await ledger.when((current) => new Set(values).isSubsetOf(valuesOf(current)));
    t.diagnostic(
      `${values.length} samples recorded, ${ledger.counts.size} sent, ${ledger.duplicates} of them again`,
    );
    const firstOfNode = Math.min(...[...host.counts.keys()].map(Number));
    const wanted = new Set(values.filter((value) => value >= firstOfNode));
    await host.when(({ counts }) => wanted.isSubsetOf(new Set(counts.keys())));
    const again = [...host.counts.values()].filter((count) => count > 1).length;
    t.diagnostic(`${wanted.size} samples for the host, ${again} of them again`);
    assert.deepEqual(host.rules.violations, []);
    const gaps = ledger.messages.flatMap(({ gap }) => gap?.reason ?? []);
    assert.deepEqual(new Set(gaps), new Set(['STOPPED']));
  },
);
