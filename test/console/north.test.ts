import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { buildBundlePackages } from '../../packaging/bundle-packages.ts';
import { SessionClient } from '../support/https-client.ts';
import { startMosquitto } from '../support/mosquitto.ts';
import { uploadPackage } from '../support/package-upload.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, CHIEF, signIn, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus', 'mosquitto');
const REPORTER = { name: 'deployer', password: 'turbine-test-password' };

test(
  'North shows a sender with state, checks, backlog and counters, and what to do when its broker is away',
  CONSOLE,
  async (t) => {
    const broker = await startMosquitto(t);
    const url = `mqtt://127.0.0.1:${broker.port}`;
    const settings = { brokers: [url], recorders: ['fast', 'absent'] };
    const { gateway, enter, open, base } = await startConsole(t, {
      identities: [
        { ...CHIEF, permissions: ['rest.admin'] },
        { ...REPORTER, permissions: ['rest.deploy'] },
      ],
      recorders: [{ pid: 'fast', intervalMs: 100, assets: [{ asset: 'pump', channels: ['level'] }] }],
      bundles: [{ pid: 'penstock-mqtt', settings }],
    });
    const page = await enter('#/north');
    await page.getByText('No bundle sends samples.').waitFor();
    await page.getByText('package install penstock-mqtt').waitFor();
    await checkAccessibility(page);

    const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
    await client.login(CHIEF.name, CHIEF.password);
    const built = await buildBundlePackages(createTemporaryDirectory(t));
    const { file } = built.find((each) => each.file.includes('penstock-mqtt')) ?? assert.fail();
    const installed = await uploadPackage(client, readFileSync(file));
    assert.equal(installed.state, 'COMPLETED', installed.message);

    const sender = page.getByRole('region', { name: 'penstock-mqtt' });
    const check = (name: string) => sender.locator('.sender-checks tbody tr', { hasText: name });
    await check(`broker ${url}`).getByText('connected').waitFor();
    // A recorder that does not exist is wrong, and comes first with its remedy.
    await check('recorder absent').getByText('compare "recorders" with penstock recorder list').waitFor();
    assert.match(
      (await sender.locator('.sender-checks tbody tr').first().innerText()).trim(),
      /^recorder absent/,
    );
    const reader = sender.locator('.readers tbody tr', { hasText: 'fast' });
    await reader.waitFor();
    const count = (title: string) =>
      sender.locator('.counters > div', { has: page.getByText(title, { exact: true }) }).locator('dd');
    await count('Samples sent').getByText(/[1-9]/).waitFor();
    await page.getByRole('table', { name: 'Other readers of the recording' }).getByText('History').waitFor();
    await checkAccessibility(page);

    await broker.kill();
    await check(`broker ${url}`).locator('.state.attention').waitFor();
    await count('Entries in the backlog').getByText(/[1-9]/).waitFor();
    await reader.getByText(/^[1-9][\d,]*$/).waitFor();
    await reader.getByText(/ s$/).waitFor();
    await checkAccessibility(page);
    await sender.getByRole('link', { name: 'Log penstock-mqtt' }).click();
    await page.locator('.bundle-log pre').waitFor();

    // Without the permission to see the readers of the journal, the rest is shown.
    const other = await open();
    await signIn(other, REPORTER);
    await other.goto(`${base}/#/north`);
    await other.getByText('Backlogs are not shown').waitFor();
    await other.locator('.sender-checks').waitFor();
    assert.equal(await other.locator('.readers').count(), 0);
  },
);
