import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';

import { buildConsole } from '../../packaging/build-console.ts';
import { openContext, startChromium } from '../support/chromium.ts';
import { startGateway } from '../support/gateway.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { PROXY_PREFIX, startReverseProxy } from '../support/reverse-proxy.ts';
import { needs } from '../support/tests-that-need.ts';
import { CHIEF, WELL_PUMP, signIn, signOut } from './support/console-page.ts';

/** Writes a holding register of unit 1 (Write Single Register), as another program does. */
async function writeRegister(port: number, offset: number, value: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const frame = Buffer.from([0, 1, 0, 0, 0, 6, 1, 6, 0, 0, 0, 0]);
  frame.writeUInt16BE(offset, 8);
  frame.writeUInt16BE(value, 10);
  socket.write(frame);
  await once(socket, 'data');
  socket.destroy();
}

for (const kind of ['nginx', 'haproxy'] as const) {
  test(
    `behind ${kind}, a browser signs in below a path, sees live values, and signs out`,
    needs('chromium', 'libmodbus', kind),
    async (t) => {
      await buildConsole({ isForced: false });
      const device = await startLibmodbusServer();
      t.after(() => device.close());
      const gateway = await startGateway(t, {
        config: {
          http: { ports: [0], httpsPorts: [], trustedProxies: ['127.0.0.1'] },
          provision: {
            identities: [{ ...CHIEF, permissions: ['rest.admin'] }],
            drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: device.port }],
            assets: [WELL_PUMP],
          },
        },
      });
      const { port } = await startReverseProxy(t, kind, gateway.httpPorts[0] ?? 0);
      const base = `https://127.0.0.1:${port}${PROXY_PREFIX}/`;
      const browser = await startChromium(t);
      const context = await openContext(browser, { locale: 'en-GB' });
      const page = await context.newPage();
      const outside: string[] = [];
      page.on('request', (request) => {
        const url = request.url();
        if (!url.startsWith(base) && !url.startsWith('blob:')) outside.push(url);
      });
      await page.goto(base);
      await signIn(page);
      const [cookie] = await context.cookies();
      assert.deepEqual([cookie?.name, cookie?.secure, cookie?.sameSite], ['JSESSIONID', true, 'Strict']);

      await page.goto(`${base}#/assets/pump`);
      const level = page.locator('.grid-row', { hasText: 'level' });
      await level.getByText('good').waitFor();
      await writeRegister(device.port, 8, 4711);
      await level.getByText(/4.?711/).waitFor();

      // The cookie of another program on the same host, whatever its port.
      await context.addCookies([{ name: 'other', value: '1', url: 'https://127.0.0.1' }]);
      await page.evaluate(`localStorage.setItem('penstock.utc', 'true')`);
      const answered = page.waitForResponse((response) => response.url().endsWith('/logout'));
      await signOut(page);
      assert.equal((await (await answered).allHeaders())['clear-site-data'], '"storage"');
      await page.waitForSelector('input[name=password]');
      assert.deepEqual(
        (await context.cookies()).map(({ name }) => name),
        ['other'],
      );
      assert.equal(await page.evaluate(`localStorage.getItem('penstock.utc')`), 'true');

      await context.clearCookies();
      await signIn(page);
      const again = page.waitForResponse((response) => response.url().endsWith('/logout'));
      await signOut(page);
      assert.equal((await (await again).allHeaders())['clear-site-data'], '"cookies", "storage"');
      await page.waitForSelector('input[name=password]');
      assert.deepEqual(await context.cookies(), []);
      await signIn(page);
      assert.deepEqual(outside, []);
    },
  );
}
