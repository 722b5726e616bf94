import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answerFrame, startFaultServer } from '../support/modbus-fault-server.ts';
import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

const WRITE_SINGLE_REGISTER = 6;
const WRITE_MULTIPLE_REGISTERS = 16;

test('a double click on Write sends one request to the device', needs('chromium', 'libmodbus'), async (t) => {
  const meter = await startFaultServer((request, connection) => connection.send(answerFrame(request)));
  t.after(() => meter.close());
  const drivers = [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: meter.port }];
  const { enter } = await startConsole(t, { drivers });
  const page = await enter('#/assets/pump');
  const setpoint = page.locator('.grid-row:not(.head)', { hasText: 'setpoint' });
  await setpoint.getByText('good').waitFor();
  await setpoint.getByRole('button', { name: 'Write' }).click();
  const panel = page.locator('form.write');
  await panel.locator('input[name=value]').fill('61');
  await panel.getByRole('button', { name: 'Check' }).dblclick();
  const countWrites = (): number =>
    meter.requests.filter(({ pdu }) =>
      [WRITE_SINGLE_REGISTER, WRITE_MULTIPLE_REGISTERS].includes(pdu[0] ?? 0),
    ).length;
  await panel.getByText('Would send 61 °C. Nothing is sent yet.').waitFor();
  assert.equal(countWrites(), 0);
  await panel.locator('button.main').dblclick({ delay: 5 });
  // It holds its offset whatever is written, and says so when it is read back.
  await panel.getByText('REFUSED').waitFor();
  // Whatever was sent after it has come by then as well: a line is asked for one thing after the other.
  const reads = meter.requests.length + 4;
  await meter.received(reads);
  assert.equal(countWrites(), 1);
});
