import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { AssetRegistry } from '../../../../daemon/plant/asset/asset-registry.ts';
import { checkPlant } from '../../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../../daemon/base/slices.ts';
import { systemRandom } from '../../../../daemon/base/random.ts';
import { z } from '../../../../daemon/base/schema.ts';
import type { Proposal, ScanRun } from '../../../../daemon/channel/discovery.ts';
import type { DriverFactory, SettingsSearch } from '../../../../daemon/channel/driver.ts';
import { Scans } from '../../../../daemon/plant/discovery/scans.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createLastWrites } from '../../../support/last-writes.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createScriptedFactory, ScriptedDriver } from '../../../support/scripted-driver.ts';

interface Line {
  readonly line: string;
  readonly speed?: number | undefined;
}

/** A device in memory that a scan finds. */
export class ScannedDriver extends ScriptedDriver {
  /** What `scan` does. */
  onScan: (options: unknown, run: ScanRun) => Promise<Proposal> = () =>
    Promise.resolve({ assets: [], notes: [] });

  scan(options: unknown, run: ScanRun): Promise<Proposal> {
    return run.call(() => this.onScan(options, run));
  }
}

/** Creates a registry with the driver `line` of the kind `scanned`, and scans over it. */
export async function openScanBench(
  t: TestContext,
  templates: Readonly<Record<string, string>> = {},
  configured = '/nonexistent/one',
) {
  const made: ScannedDriver[] = [];
  const searches: SettingsSearch[] = [];
  const scanned: DriverFactory<Line> = {
    type: 'scanned',
    configSchema: z.strictObject({ line: z.string(), speed: z.int().optional() }),
    addressSchema: z.strictObject({}),
    describe: ({ line }) => `line ${line}`,
    findExclusiveDevice: ({ line }) => ({ name: line, isLine: true }),
    checkChannel: () => [],
    discovery: {
      optionsSchema: z.strictObject({ depth: z.int().min(1).default(1) }),
      findSettings: (given, search) => {
        searches.push(search);
        if (given['line'] === 'shut') {
          search.report({ type: 'found', subject: 'line shut', kind: 'LINE', text: 'answers', fields: {} });
        }
        return Promise.resolve(given['line'] === 'silent' ? undefined : { ...given, speed: 9600 });
      },
    },
    create() {
      const driver = new ScannedDriver();
      driver.onScan = (options, run) => bench.onScan(options, run);
      made.push(driver);
      return driver;
    },
  };
  const bench: Pick<ScannedDriver, 'onScan'> = {
    onScan: () => Promise.resolve({ assets: [], notes: [] }),
  };
  const scripted = {
    ...createScriptedFactory(),
    findExclusiveDevice: ({ line }: { line: string }) => ({ name: line, isLine: true }),
  };
  const searched: DriverFactory<Line> = {
    ...scanned,
    type: 'searched',
    discovery: {
      optionsSchema: z.strictObject({}),
      search: (given) =>
        Promise.resolve(
          given['line'] === 'silent'
            ? { proposal: { assets: [], notes: [{ message: 'nothing answers', reasons: [] }] } }
            : { settings: { ...given, speed: 300 }, proposal: { assets: [{ pid: 'meter' }], notes: [] } },
        ),
    },
  };
  const factories: readonly DriverFactory[] = [scanned, searched, scripted];
  const clock = new ManualClock();
  const logger = createMemoryLogger();
  const registry = new AssetRegistry({
    factories: () => factories,
    driverDirectory: '/nonexistent',
    onChange: () => undefined,
    logger,
    clock,
    lastWrites: createLastWrites(clock),
    random: systemRandom,
  });
  const plant = finish(
    checkPlant(factories, {
      drivers: [
        { pid: 'line', type: 'scanned', line: configured },
        { pid: 'other', type: 'scripted', line: '/nonexistent/two' },
      ],
    }),
  );
  assert.ok(plant.value !== undefined);
  await registry.apply(plant.value);
  t.after(() => registry.stop());
  const described = new Map(Object.entries(templates));
  const scans = new Scans({
    registry,
    factories: () => factories,
    listDescribed: () => Promise.resolve(described),
    clock,
    logger,
  });
  return { scans, registry, made, searches, bench, clock, logger };
}
