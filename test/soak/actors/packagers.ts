import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

import { buildBundlePackages } from '../../../packaging/bundle-packages.ts';
import type { SessionClient } from '../../support/https-client.ts';
import { buildPackage } from '../../support/package-builder.ts';
import { removePackage, uploadPackage } from '../../support/package-upload.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import type { Actor } from '../crew.ts';
import { expectStatus } from '../expect.ts';
import type { Ground } from '../ground.ts';
import { IDENTITIES, SENDER } from '../plant.ts';

const ROOT = '/services/deploy/v2';
const NAME = 'visitor';
/** A bundle gets what the rest of the machine leaves of the processor. */
const PATIENCE_MS = 300_000;

/** A bundle that says that it runs. */
const MAIN = `export function activate({ logger }) { logger.info('here'); }`;

/** Installs the bundle that sends what is recorded. */
export async function installSender(ground: Ground): Promise<void> {
  const built = await buildBundlePackages(createTemporaryDirectory(ground.owner));
  const file = built.find((each) => each.file.includes(`${SENDER}_`))?.file ?? '';
  const client = await ground.openSession(IDENTITIES.engineer);
  await install(client, readFileSync(file));
  await untilActive(client, SENDER);
}

/** Those who install, remove and restart software. */
export function createPackagers(ground: Ground): readonly Actor[] {
  let installs = 0;
  return [
    {
      name: 'package',
      pauseMs: 3000,
      async step() {
        const client = await ground.openSession(IDENTITIES.engineer);
        const version = `1.0.${(installs += 1) % 100}`;
        const bundle = { symbolicName: NAME, version, main: MAIN };
        await install(client, buildPackage({ symbolicName: NAME, version, bundles: [bundle] }));
        await untilActive(client, NAME);
        expectStatus(await client.send('GET', `${ROOT}/_bundles/${NAME}/_log`), 200);
        const { state, message } = await removePackage(client, NAME);
        if (state !== 'COMPLETED') throw new Error(`removal: ${String(message)}`);
        expectStatus(await client.send('POST', '/services/session/v1/logout'), 204);
      },
    },
    {
      name: 'restart of the sender',
      pauseMs: 45_000,
      async step() {
        const client = await ground.openSession(IDENTITIES.engineer);
        expectStatus(await client.send('POST', `${ROOT}/_bundles/${SENDER}/_restart`), 204);
        await untilActive(client, SENDER);
        expectStatus(await client.send('POST', '/services/session/v1/logout'), 204);
      },
    },
  ];
}

async function install(client: SessionClient, content: Uint8Array): Promise<void> {
  const { state, message } = await uploadPackage(client, content);
  if (state !== 'COMPLETED') throw new Error(`installation: ${String(message)}`);
}

async function untilActive(client: SessionClient, name: string): Promise<void> {
  const untilMs = performance.now() + PATIENCE_MS;
  while (performance.now() < untilMs) {
    const bundles = expectStatus(await client.send('GET', `${ROOT}/_bundles`), 200).json as readonly {
      readonly name: string;
      readonly state: string;
      readonly restartAt?: number;
    }[];
    const bundle = bundles.find((each) => each.name === name);
    if (bundle?.state === 'ACTIVE') return;
    if (bundle?.state === 'FAILED' && bundle.restartAt === undefined) throw new Error(`${name} has failed`);
    await wait(200);
  }
  throw new Error(`${name} is not active`);
}
