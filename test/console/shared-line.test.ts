import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

const MBAP_BYTES = 7;

/** A line with two units: unit 1 has zero in every register, unit 9 never answers. */
async function startLine(t: TestContext): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.on('data', (request) => {
      if (request.length < MBAP_BYTES + 5 || request[6] !== 1) return;
      const bytes = 2 * request.readUInt16BE(10);
      const answer = Buffer.alloc(MBAP_BYTES + 2 + bytes);
      request.copy(answer, 0, 0, MBAP_BYTES + 1);
      answer.writeUInt16BE(3 + bytes, 4);
      answer[8] = bytes;
      socket.write(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test(
  'an asset is not told as suspended because another unit of its line is',
  needs('chromium', 'libmodbus'),
  async (t) => {
    const port = await startLine(t);
    const asset = (pid: string, unitId: number) => ({
      pid,
      driver: 'line',
      channels: [
        {
          name: 'level',
          type: 'READ',
          valueType: 'INTEGER',
          address: { unitId, table: 'HOLDING_REGISTERS', offset: 0, dataType: 'UINT16' },
        },
      ],
    });
    const { enter, base } = await startConsole(t, {
      drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port, responseTimeoutMs: 100 }],
      assets: [asset('pump', 1), asset('quiet', 9)],
    });
    const page = await enter('#/assets/quiet');
    const state = page.locator('.page > header .state');
    await state.getByText('suspended').waitFor();
    await page.goto(`${base}/#/assets/pump`);
    await page.locator('.grid-row:not(.head)', { hasText: 'level' }).getByText('good').waitFor();
    await state.getByText('answering').waitFor();
    await page.goto(`${base}/#/overview`);
    const row = (pid: string) => page.getByRole('row', { name: pid });
    await row('quiet').getByText('suspended').waitFor();
    await row('pump').getByText('answering').waitFor();
    // The numbers of channels come with answers of their own.
    await row('quiet').getByText('0 / 1').waitFor();
    await row('pump').getByText('– / 1').waitFor();
  },
);
