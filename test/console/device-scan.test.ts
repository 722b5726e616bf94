import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import type { Page } from 'playwright-core';

import { startDevice } from '../drivers/modbus/scan/scan-bench.ts';
import { startMeters } from '../support/iec-meter.ts';
import { createFrame, exceptionFrame } from '../support/modbus-fault-server.ts';
import { startOpcuaServer } from '../support/opcua-server.ts';
import { openSerialPair } from '../support/serial-pair.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { CHIEF, checkAccessibility, signIn, signOut, startConsole } from './support/console-page.ts';
import { callInPage } from './support/in-page.ts';

const SECOND = { name: 'second', password: 'console-turbine-password' } as const;
const IDENTITIES = {
  identities: [
    { ...CHIEF, permissions: ['rest.admin'] },
    { ...SECOND, permissions: ['rest.configuration'] },
  ],
};
const PLANT_PASSWORD = 'plant-test-password';
const EMPTY = { drivers: [], assets: [] };
const GERMAN = { locale: 'de-DE' } as const;

/** A device that takes requests and answers none, so that a scan of it goes on. */
async function startSilentDevice(t: TestContext): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.resume().on('error', () => undefined));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A unit whose holding registers have no value, and are read by function code 23 alone. */
function startEmptyDevice(t: TestContext): ReturnType<typeof startDevice> {
  return startDevice(t, (request, connection) => {
    const [functionCode] = request.pdu;
    if (request.unitId !== 1) return connection.send(exceptionFrame(request, 0x0b));
    if (functionCode !== 23) return connection.send(exceptionFrame(request, 1));
    if (request.pdu.readUInt16BE(1) + request.pdu.readUInt16BE(3) > 4)
      return connection.send(exceptionFrame(request, 2));
    const bytes = Array.from({ length: request.pdu.readUInt16BE(3) }, () => [0x80, 0]).flat();
    connection.send(createFrame({ ...request, pdu: Buffer.from([23, bytes.length, ...bytes]) }));
  });
}

/** Opens the form of the address, which is folded when a device was found. */
async function openAddress(page: Page): Promise<void> {
  await page.locator('details.address:not([open]) > summary').click();
}

async function startScan(page: Page, port: number): Promise<void> {
  await page.fill('#field-host', '127.0.0.1');
  await page.fill('#field-port', String(port));
  await page.getByRole('button', { name: 'Scan' }).click();
  await page.locator('section.scan').waitFor();
}

test(
  'a scan goes on when its page is left and loaded anew: the strip shows it everywhere, and stops it',
  needs('chromium', 'libmodbus'),
  async (t) => {
    const { enter, base } = await startConsole(t, { ...EMPTY, ...IDENTITIES });
    const port = await startSilentDevice(t);
    const page = await enter('#/devices/add');
    await startScan(page, port);
    await checkAccessibility(page);
    await page.goto(`${base}/#/overview`);
    const strip = page.locator('.scan-strip');
    await strip.getByText(new RegExp(`Scan of 127\\.0\\.0\\.1:${port}: \\d+ of \\d+`)).waitFor();
    await page.reload();
    await strip.getByText(/0:\d\d left in this step/).waitFor();
    await checkAccessibility(page);
    await strip.getByRole('link', { name: 'Open' }).first().click();
    await page.locator('section.scan').getByRole('button', { name: 'Stop' }).waitFor();
    assert.equal(await page.inputValue('#field-port'), String(port));
    await page.goto(`${base}/#/overview`);
    await strip.getByRole('button', { name: 'Stop' }).click();
    await strip.getByText(/ended, 0 found/).waitFor();
    await strip.getByRole('link', { name: 'Open' }).first().click();
    await page.getByText('The scan ended before it was complete.').waitFor();
    await strip.waitFor({ state: 'detached' });
  },
);

test(
  'what a scan found is there when somebody comes back, until it is forgotten',
  needs('chromium', 'libmodbus'),
  async (t) => {
    const { enter, device, base } = await startConsole(t, EMPTY);
    const page = await enter('#/devices/add');
    await startScan(page, device.port);
    await page.goto(`${base}/#/overview`);
    await page
      .locator('.scan-strip')
      .getByText(/ended, \d+ found/)
      .waitFor();
    await page.reload();
    await page.goto(`${base}/#/devices/add`);
    await page.locator('.finds').getByText('unit 1').first().waitFor();
    assert.equal(await page.inputValue('#field-port'), String(device.port));
    // Registers become channels only when they are ticked.
    await page.locator('.plan-step .notice', { hasText: 'will have no values' }).waitFor();
    await checkAccessibility(page);
    await page.fill('.plan-step input[name=pid]', 'line2');
    await page.getByRole('button', { name: 'Plan' }).click();
    await page.locator('section.plan .differences').getByText('drivers/line2').first().waitFor();
    await openAddress(page);
    await page.fill('#field-host', '127.0.0.2');
    await page.locator('section.scan').waitFor({ state: 'detached' });
    await page.locator('.other-scans').getByRole('link').click();
    await page.locator('section.scan').waitFor();
    await openAddress(page);
    await page.fill('#field-host', '127.0.0.3');
    // It need not be opened to be discarded.
    await page
      .locator('.other-scans')
      .getByRole('button', { name: /^Discard the scan of/ })
      .click();
    await page.locator('.other-scans').waitFor({ state: 'detached' });
  },
);

test(
  'registers without value are shown with what to do, and the settings that a device needs are planned',
  needs('chromium'),
  async (t) => {
    const device = await startEmptyDevice(t);
    const { enter } = await startConsole(t, EMPTY);
    const page = await enter('#/devices/add');
    await startScan(page, device.port);
    await page.locator('.finds').getByText('HOLDING_REGISTERS 0-3: 0x8000, not available?').waitFor();
    await page.getByText('set readFunction: READ_WRITE').waitFor();
    await page.getByText('list it in notAvailable').waitFor();
    await page.fill('.plan-step input[name=pid]', 'valves');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await page.getByRole('button', { name: 'Plan' }).click();
    assert.match((await sent).postData() ?? '', /"readFunction":"READ_WRITE"/);
  },
);

test('a meter on a serial line is read out and planned', needs('chromium', 'python3'), async (t) => {
  const meters = await startMeters([{ identification: '/LGZ5\\2ZMD405', lines: ['1.8.0(0302.8260*kWh)'] }]);
  t.after(() => meters[Symbol.asyncDispose]());
  const { enter } = await startConsole(t, EMPTY);
  const page = await enter('#/devices/add');
  await page.selectOption('select[name=kind]', 'serial');
  await page.fill('#field-device', meters.device);
  await page.getByRole('button', { name: 'Scan for a meter' }).click();
  await page.locator('.finds').getByText('1.8.0(0302.8260*kWh)').waitFor();
  await page.fill('.plan-step input[name=pid]', 'head');
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await page.getByRole('button', { name: 'Plan' }).click();
  assert.match((await sent).postData() ?? '', /"framing":\{"type":"IEC62056_21"\}.*"pid":"zmd405"/);
});

test(
  'the scan of one identity is nowhere to be seen for another',
  needs('chromium', 'libmodbus'),
  async (t) => {
    const { enter, open, base } = await startConsole(t, { ...EMPTY, ...IDENTITIES });
    const page = await enter('#/devices/add');
    await startScan(page, await startSilentDevice(t));
    const address = page.url();
    assert.match(address, /scan=[0-9a-f-]+$/);
    await signOut(page);
    await signIn(page, SECOND);
    await page.locator('#field-host').waitFor();
    const other = await open();
    await signIn(other, SECOND);
    await other.goto(`${base}/${new URL(address).hash}`);
    await other.getByText(/^This scan no longer exists/).waitFor();
    for (const each of [page, other]) {
      assert.equal(await each.locator('.scan-strip, section.scan, .other-scans').count(), 0);
    }
  },
);

test(
  'a secret of a scan has to be typed again after a reload, before its find is planned',
  needs('chromium', 'libmodbus'),
  async (t) => {
    const directory = createTemporaryDirectory(t);
    await using server = await startOpcuaServer({
      directory,
      securityModes: ['SignAndEncrypt'],
      users: { plant: PLANT_PASSWORD },
    });
    const { enter } = await startConsole(t, EMPTY);
    const page = await enter('#/devices/add');
    await page.locator('select[name=kind]').selectOption('opcua');
    await page.fill('#field-endpointUrl', server.endpointUrl);
    await page.getByText('Other settings').click();
    await page.fill('#field-userName', 'plant');
    await page.fill('#field-password', PLANT_PASSWORD);
    await page.getByRole('button', { name: 'Scan' }).click();
    const plan = page.getByRole('button', { name: 'Plan', exact: true });
    await page.fill('.plan-step input[name=pid]', 'plc');
    await plan.click();
    await page.locator('section.plan .differences').getByText('drivers/plc').first().waitFor();

    await page.reload();
    await page.getByText('Enter them again above: password').waitFor();
    assert.equal(await page.inputValue('#field-endpointUrl'), server.endpointUrl);
    assert.equal(await page.inputValue('#field-password'), '');
    await page.fill('.plan-step input[name=pid]', 'plc');
    assert.equal(await plan.isDisabled(), true);
    await openAddress(page);
    await page.getByText('Other settings').click();
    await page.fill('#field-password', PLANT_PASSWORD);
    await plan.click();
    await page.locator('section.plan .differences').getByText('drivers/plc').first().waitFor();
  },
);

test(
  'a line on which nobody answers is told as such, and nothing can be made of it',
  needs('chromium', 'libmodbus', 'socat'),
  async (t) => {
    await using pair = await openSerialPair();
    const { enter } = await startConsole(t, EMPTY);
    const page = await enter('#/devices/add');
    await page.locator('select[name=kind]').selectOption('modbus rtu');
    await page.fill('#field-device', pair.gateway);
    await page.getByText('Other settings').click();
    await page.fill('#field-baudRate', '115200');
    await page.fill('#field-responseTimeoutMs', '20');
    await page.getByRole('button', { name: 'Scan' }).click();
    await page.getByText('Nothing found.').waitFor();
    assert.equal(await page.locator('.plan-step input').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Plan', exact: true }).count(), 0);
  },
);

test('a scan that finds no connection says so in German', needs('chromium', 'libmodbus'), async (t) => {
  const { enter } = await startConsole(t, EMPTY);
  const page = await enter('#/devices/add', GERMAN);
  await page.fill('#field-host', '127.0.0.1');
  // Nothing listens on the port that is assigned to tcpmux.
  await page.fill('#field-port', '1');
  await page.getByRole('button', { name: 'Suchen' }).click();
  const notice = page.locator('.notice.fault');
  await notice.waitFor();
  assert.match(await notice.innerText(), /^Keine Verbindung/);
});

test('what a scan of a Modbus device shows is in German', needs('chromium'), async (t) => {
  const device = await startEmptyDevice(t);
  const { enter } = await startConsole(t, EMPTY);
  const page = await enter('#/devices/add', GERMAN);
  await page.fill('#field-host', '127.0.0.1');
  await page.fill('#field-port', String(device.port));
  await page.getByRole('button', { name: 'Suchen' }).click();
  await page.locator('.plan-step').waitFor();
  assert.deepEqual(await page.locator('.finds li').allInnerTexts(), [
    'Teilnehmer 1 antwortet mit Ausnahme 1',
    'Teilnehmer 1 HOLDING_REGISTERS 0-3',
    'Teilnehmer 1 HOLDING_REGISTERS 0-3: 0x8000, kein Wert?',
  ]);
  assert.deepEqual(await page.locator('p.note').allInnerTexts(), [
    'Teilnehmer 1 unterstützt den Funktionscode 23 statt 3; setzen Sie readFunction auf READ_WRITE.',
    'Falls das Gerät 0x8000 sendet, wo es keinen Wert hat, tragen Sie das bei Kanälen, die solche Register lesen, in notAvailable ein.',
  ]);
});

test('the current step of a scan is in German', needs('chromium', 'libmodbus'), async (t) => {
  const { enter } = await startConsole(t, EMPTY);
  const page = await enter('#/devices/add', GERMAN);
  await page.fill('#field-host', '127.0.0.1');
  await page.fill('#field-port', String(await startSilentDevice(t)));
  await page.getByRole('button', { name: 'Suchen' }).click();
  await page
    .locator('section.scan')
    .getByText(/Teilnehmer \d+$/)
    .waitFor();
});

test('what a scan of an OPC UA server shows is in German', needs('chromium', 'openssl'), async (t) => {
  const directory = createTemporaryDirectory(t);
  await using server = await startOpcuaServer({ directory });
  const { enter } = await startConsole(t, EMPTY);
  const page = await enter('#/devices/add', GERMAN);
  await page.locator('select[name=kind]').selectOption('opcua');
  await page.fill('#field-endpointUrl', server.endpointUrl);
  await page.getByRole('button', { name: 'Suchen' }).click();
  await page.getByRole('button', { name: 'Test öffnen' }).click();
  await page.locator('.offer-tree').getByText('Boolean, nur lesbar', { exact: true }).waitFor();
  await page.locator('.finds').getByText('NONE; Benutzer: anonym').waitFor();
  await page
    .locator('.finds')
    .getByText(/noch nicht vertrauenswürdig; gültig bis /)
    .waitFor();
  await page.locator('p.note').getByText('Die Verbindung ist nicht geschützt').waitFor();
  assert.doesNotMatch(await page.locator('.finds').innerText(), /read only|users:|trusted|valid/);
  // The fingerprint of a certificate is one long word.
  await page.setViewportSize({ width: 360, height: 740 });
  assert.deepEqual(await callInPage(page, 'cut-texts', 'listCutTexts'), []);
});
