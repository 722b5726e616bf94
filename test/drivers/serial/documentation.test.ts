import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { checkPlant } from '../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../daemon/base/slices.ts';
import type { Channel } from '../../../daemon/channel/channel.ts';
import { loadSettingsFile } from '../../../daemon/settings/settings-file.ts';
import type { SerialAddress } from '../../../drivers/serial/serial-address.ts';
import { createSerialDriverFactory } from '../../../drivers/serial/serial-driver.ts';
import { connectDriver } from '../../support/serial-instrument-driver.ts';
import { startInstrument } from '../../support/serial-instrument.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const { test } = testsThatNeed('python3', 'socat');

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../../docs/reference/serial.md'), 'utf8');

interface Example {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly channels: readonly Channel<SerialAddress>[];
}

/** Loads the example under a heading of docs/reference/serial.md as the daemon does. */
async function loadExample(t: TestContext, heading: string): Promise<Example> {
  const [, text = ''] = /^```yaml\n([^]*?)^```/m.exec(PAGE.slice(PAGE.indexOf(`### ${heading}`))) ?? [];
  const file = path.join(createTemporaryDirectory(t), 'penstock.yaml');
  writeFileSync(file, text);
  const { provisionSources } = await loadSettingsFile(file);
  const plant = finish(checkPlant([createSerialDriverFactory()], provisionSources[0]?.value ?? {})).value;
  const [driver] = plant?.drivers ?? [];
  const [asset] = plant?.assets ?? [];
  assert.ok(driver !== undefined && asset !== undefined);
  return {
    settings: driver.settings as Example['settings'],
    channels: asset.channels as Example['channels'],
  };
}

const EXAMPLES = [
  { heading: 'A scale that is asked', kind: 'scale', values: [12.5, 10] },
  { heading: 'A weather station that sends NMEA sentences unasked', kind: 'weather', values: undefined },
  { heading: 'A flow meter with binary frames', kind: 'flow', values: [-125, 1.5] },
] as const;

for (const { heading, kind, values } of EXAMPLES) {
  test(`the example "${heading}" of docs/reference/serial.md reads its instrument`, async (t) => {
    const { settings, channels } = await loadExample(t, heading);
    await using pair = await openSerialPair();
    await using _instrument = await startInstrument(kind, pair.instrument);
    await using line = await connectDriver(pair.gateway, { ...settings, device: pair.gateway });
    const readings = await line.read(...channels);
    assert.deepEqual(
      readings.map(({ failure }) => failure),
      channels.map(() => undefined),
    );
    if (values === undefined) return;
    assert.deepEqual(
      readings.map(({ value }) => value),
      values,
    );
  });
}
