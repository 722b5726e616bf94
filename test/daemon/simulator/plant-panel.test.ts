import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SimulatedPlant } from '../../../daemon/simulator/plant-memory.ts';
import { answerPanel, createPanel } from '../../../daemon/simulator/plant-panel.ts';

for (const [line, answer] of [
  ['ID', 'HEATING PANEL 1.0'],
  ['T1', 'T1 55.00 C'],
  ['T2', 'T2 42.00 C'],
  ['P', 'P 1.760 bar'],
  ['SP', 'SP 60.00 C'],
  ['SP 1e3', 'ERR'],
  ['SP 1234', 'ERR'],
  ['', 'ERR'],
  ['T3', 'ERR'],
] as const) {
  test(`the panel of a new plant answers "${line}" with "${answer}"`, () => {
    assert.equal(answerPanel(new SimulatedPlant(), line), answer);
  });
}

test('a setpoint that is set at the panel applies to the whole plant', () => {
  const plant = new SimulatedPlant();
  assert.equal(answerPanel(plant, 'SP 62.5'), 'OK');
  assert.equal(answerPanel(plant, 'SP'), 'SP 62.50 C');
  assert.equal(plant.read(1, 'HOLDING_REGISTERS', 0), 625);
});

test('the panel answers each line, however the bytes are split', () => {
  const answers: string[] = [];
  const receive = createPanel(new SimulatedPlant(), (bytes) => answers.push(bytes.toString()));
  for (const byte of Buffer.from('T1\r\n')) receive(Buffer.from([byte]));
  receive(Buffer.from('T2\r\nX'));
  receive(Buffer.from('\r\n'));
  assert.deepEqual(answers, ['T1 55.00 C\r\n', 'T2 42.00 C\r\n', 'ERR\r\n']);
});

test('the panel discards a line without end', () => {
  const answers: string[] = [];
  const receive = createPanel(new SimulatedPlant(), (bytes) => answers.push(bytes.toString()));
  for (let chunk = 0; chunk < 1000; chunk += 1) receive(Buffer.alloc(1000, 'x'));
  receive(Buffer.from('\r\nT1\r\n'));
  assert.deepEqual(answers, ['ERR\r\n', 'T1 55.00 C\r\n']);
});
