import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Ledger } from './ledger.ts';

function messageOf(sequences: readonly number[], backlog = false, gateway = 'north') {
  return { gateway, backlog, samples: sequences.map((sequence) => ({ sequence, channel: 'level' })) };
}

test('a sample that did not come is lost, and one that came again is a duplicate', () => {
  const ledger = new Ledger();
  ledger.take(messageOf([1, 2, 4]));
  ledger.connect('north');
  ledger.take(messageOf([2], true));
  const findings = ledger.findings(new Map([['north', 5]]));
  assert.deepEqual(findings, { samples: 3, duplicates: 1, lost: 2, disordered: 0 });
});

test('all samples of a gateway that never came are lost', () => {
  assert.equal(new Ledger().findings(new Map([['north', 3]])).lost, 3);
});

test('gateways and channels have an order of their own', () => {
  const ledger = new Ledger();
  ledger.take(messageOf([2]));
  ledger.take(messageOf([1], false, 'south'));
  ledger.take({ gateway: 'north', samples: [{ sequence: 1, channel: 'flow' }] });
  assert.equal(ledger.findings(new Map()).disordered, 0);
});

for (const [name, messages] of [
  ['live after a newer one', [messageOf([2]), messageOf([1])]],
  ['live that is repeated as live', [messageOf([1]), messageOf([1])]],
  ['backlog after a newer one', [messageOf([2], true), messageOf([1], true)]],
  ['backlog that is newer than a live one', [messageOf([1]), messageOf([2], true)]],
] as const) {
  test(`a sample is out of order: ${name}`, () => {
    const ledger = new Ledger();
    for (const message of messages) ledger.take(message);
    assert.equal(ledger.findings(new Map()).disordered, 1);
  });
}

test('the backlog of a new connection may repeat what an earlier one sent', () => {
  const ledger = new Ledger();
  ledger.take(messageOf([3]));
  ledger.connect('north');
  ledger.take(messageOf([1, 2, 3, 4], true));
  ledger.connect('north');
  ledger.take(messageOf([1, 2], true));
  assert.equal(ledger.findings(new Map()).disordered, 0);
});

test('sequence numbers beyond those that came before have room', () => {
  const ledger = new Ledger();
  ledger.take(messageOf([100_000]));
  assert.equal(ledger.findings(new Map([['north', 100_000]])).lost, 99_999);
});
