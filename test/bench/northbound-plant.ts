import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

import { buildBundlePackages } from '../../packaging/bundle-packages.ts';
import { listChildren } from '../support/child-processes.ts';
import type { GatewayOptions, RunningGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { uploadPackage } from '../support/package-upload.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Bench } from './bench.ts';
import { createChannels, createDriver, createPlant, httpsPort, sequence } from './plant.ts';
import { pin } from './process-usage.ts';
import { startProgram } from './program.ts';

const DEPLOYER = { name: 'deployer', permissions: ['rest.deploy'], password: 'correct-horse-7' };
/** Recorder of all channels. */
export const RECORDER = 'second';

/** A bundle that sends what is recorded. */
export interface SendingBundle {
  /** Name of the bundle. */
  readonly bundle: string;
  /** Settings beyond broker and recorder. */
  readonly settings?: object;
}

interface NorthboundPlant {
  readonly devices: readonly { readonly port: number }[];
  readonly channelsOfAsset: number;
  /** Terms of the recorder. */
  readonly terms: object;
  /** Undefined: nothing is sent. */
  readonly bundle?: SendingBundle & { readonly brokerPort: number };
}

/** Describes a gateway that records all channels of some devices, and may send them to a broker. */
export function describeNorthboundPlant(plant: NorthboundPlant): object {
  const { devices, channelsOfAsset, terms, bundle } = plant;
  const assets = devices.map((_device, index) => ({
    pid: `asset${index}`,
    driver: `line${index}`,
    channels: createChannels(sequence(channelsOfAsset)),
  }));
  const bundles = (bundle === undefined ? [] : [bundle]).map(({ bundle: pid, brokerPort, settings }) => ({
    pid,
    settings: { brokers: [`mqtt://127.0.0.1:${brokerPort}`], recorders: [RECORDER], ...settings },
  }));
  return createPlant({
    drivers: devices.map(({ port }, index) => createDriver(`line${index}`, port)),
    assets,
    identities: [DEPLOYER],
    more: {
      recorders: [{ pid: RECORDER, ...terms, assets: assets.map(({ pid: asset }) => ({ asset })) }],
      ...(bundles.length === 0 ? {} : { bundles }),
    },
  });
}

/** Starts a gateway on the core of servers. */
export async function startNorthbound(
  bench: Bench,
  provision: object,
  options: GatewayOptions = {},
): Promise<RunningGateway> {
  const config = { ...options.config, provision };
  const gateway = await startProgram(bench, { ...options, config });
  pin(gateway.process.pid ?? 0, 'server');
  return gateway;
}

/** Builds the package of the bundle, and installs it. */
export async function installBundle(bench: Bench, gateway: RunningGateway, bundle: string): Promise<void> {
  const built = await buildBundlePackages(createTemporaryDirectory(bench));
  const file = built.find((each) => each.file.includes(`${bundle}_`))?.file ?? '';
  const client = new SessionClient({ port: httpsPort(gateway) });
  const { status } = await client.login(DEPLOYER.name, DEPLOYER.password);
  if (status !== 200) throw new Error(`the login was answered with ${status}`);
  const { state, message = '' } = await uploadPackage(client, readFileSync(file));
  if (state !== 'COMPLETED') throw new Error(message);
}

/** Returns the process of the bundle, as soon as it runs. */
export async function findBundleProcess({ process: daemon }: RunningGateway): Promise<number> {
  for (;;) {
    const runner = findRunner(daemon.pid);
    if (runner !== undefined) return runner;
    await wait(20);
  }
}

/** Finds the runtime with a bundle: below the daemon, or below a program that limits it and has the same parameters behind its own. */
function findRunner(parent: number | undefined): number | undefined {
  for (const { pid, commandLine } of listChildren(parent)) {
    const found = /^[^\0]*\/node\0.*\brunner\.[jt]s\b/s.test(commandLine) ? pid : findRunner(pid);
    if (found !== undefined) return found;
  }
  return undefined;
}
