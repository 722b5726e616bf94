import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');

test('a bundle that waits for its settings or reports a problem did not fail', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter();
  await page.route(/\/services\/status\/v1$/, async (route) => {
    const response = await route.fetch();
    const checks = ['BUNDLE_FAILED', 'BUNDLE_WAITING', 'BUNDLE_REPORTS'].map((code) => {
      const finding = { code, message: 'cause', parameters: {}, causes: [] };
      return { check: 'bundle', name: code, state: 'WRONG', detail: 'cause', finding };
    });
    await route.fulfill({ response, json: { checks } });
  });
  await page.reload();
  const row = (words: string) => page.locator('.attention-list li', { hasText: words });
  await row('Bundle BUNDLE_FAILED failed').getByText('No automatic retry.').waitFor();
  await row('Bundle BUNDLE_WAITING waits for its settings').getByText('Enter the settings').waitFor();
  await row('Bundle BUNDLE_REPORTS reports a problem').getByText('The bundle continues to run.').waitFor();
  assert.equal(await page.getByText('No automatic retry.').count(), 1);
});

test('a broken chain advises nothing about the disk', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter();
  await page.route(/\/services\/status\/v1$/, async (route) => {
    const response = await route.fetch();
    const checks = ['AUDIT_BROKEN', 'AUDIT_NOT_STORING'].map((code) => {
      const finding = { code, message: code, parameters: { event: '31', waiting: 2 }, causes: [] };
      return { check: 'auditLog', name: code, state: 'WRONG', detail: code, finding };
    });
    await route.fulfill({ response, json: { checks } });
  });
  await page.reload();
  const row = (words: string) => page.locator('.attention-list li', { hasText: words });
  await row('changed outside the gateway').getByText('earlier exports').waitFor();
  await row('could not be stored').getByText('Free space').waitFor();
  assert.equal(await page.getByText('Free space').count(), 1);
});
