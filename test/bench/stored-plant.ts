import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { RunningGateway } from '../support/gateway.ts';
import type { ModbusProcess } from '../support/modbus-process.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Bench } from './bench.ts';
import { createChannels, createDriver, createPlant, sequence } from './plant.ts';
import { pin } from './process-usage.ts';
import { startProgram } from './program.ts';

/** Channels of each asset but `ten`, which has as many as its name says. */
export const CHANNELS_OF_ASSET = 100;
const ASSETS_OF_FILE = 50;

/** A gateway that was started with provision files, and stopped. */
export interface StoredPlant {
  readonly directory: string;
  readonly gateway: RunningGateway;
  /** Leaves the gateway with its stored configuration alone. */
  readonly removeProvision: () => Promise<void>;
}

/** Lets a gateway store a plant of many channels of one device, and stops it. */
export async function storePlant(bench: Bench, device: ModbusProcess, size: number): Promise<StoredPlant> {
  const directory = createTemporaryDirectory(bench);
  const provision = path.join(directory, 'provision.d');
  await writeProvision(provision, device, size);
  const gateway = await startIn(bench, directory);
  await gateway.stop();
  return { directory, gateway, removeProvision: () => rm(provision, { recursive: true }) };
}

/** Starts a gateway in a directory where one was stopped. */
export async function startIn(bench: Bench, directory: string): Promise<RunningGateway> {
  const gateway = await startProgram(bench, { directory });
  pin(gateway.process.pid ?? 0, 'server');
  return gateway;
}

async function writeProvision(folder: string, device: ModbusProcess, size: number): Promise<void> {
  const assets = sequence(size / CHANNELS_OF_ASSET).map((index) => ({
    pid: `asset${index}`,
    driver: 'line',
    channels: createChannels(sequence(CHANNELS_OF_ASSET, (index % 500) * CHANNELS_OF_ASSET)),
  }));
  const ten = { pid: 'ten', driver: 'line', channels: createChannels(sequence(10)) };
  const write = (name: string, document: object): Promise<void> =>
    writeFile(path.join(folder, `${name}.yaml`), JSON.stringify(document));
  await mkdir(folder);
  await write('plant', createPlant({ drivers: [createDriver('line', device.port)], assets: [ten] }));
  for (let index = 0; index < assets.length; index += ASSETS_OF_FILE) {
    await write(`assets${index}`, { assets: assets.slice(index, index + ASSETS_OF_FILE) });
  }
}
