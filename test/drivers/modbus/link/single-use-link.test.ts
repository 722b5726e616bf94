import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SingleUseLinkDetector } from '../../../../drivers/modbus/link/single-use-link.ts';

/** Opens a link, counts the given number of answers and loses it. */
function lose(uses: SingleUseLinkDetector, answers: number): void {
  uses.recordOpen();
  for (let count = 0; count < answers; count += 1) uses.recordResponse();
  uses.recordLoss();
}

function isUsedUpAfterOne(uses: SingleUseLinkDetector): boolean {
  uses.recordOpen();
  uses.recordResponse();
  return uses.isSpent;
}

test('a link is used up by its first answer when two before it were lost after theirs', () => {
  const uses = new SingleUseLinkDetector();
  lose(uses, 1);
  assert.equal(isUsedUpAfterOne(uses), false);
  uses.recordLoss();
  assert.equal(isUsedUpAfterOne(uses), true);
});

test('a link that brought nothing yet is not used up', () => {
  const uses = new SingleUseLinkDetector();
  lose(uses, 1);
  lose(uses, 1);
  uses.recordOpen();
  assert.equal(uses.isSpent, false);
});

test('a link that brings several answers shows that the device does not close after each', () => {
  const uses = new SingleUseLinkDetector();
  lose(uses, 1);
  lose(uses, 2);
  lose(uses, 1);
  assert.equal(isUsedUpAfterOne(uses), false);
});

test('several requests that tell of the same loss count once', () => {
  const uses = new SingleUseLinkDetector();
  lose(uses, 1);
  uses.recordLoss();
  assert.equal(isUsedUpAfterOne(uses), false);
});

test('after sixteen links that were closed by choice, one is tried with a second request', () => {
  const uses = new SingleUseLinkDetector();
  lose(uses, 1);
  lose(uses, 1);
  for (let count = 0; count < 16; count += 1) {
    assert.deepEqual([isUsedUpAfterOne(uses), uses.isTrialDue], [true, false]);
    uses.recordClosed(true);
  }
  assert.deepEqual([isUsedUpAfterOne(uses), uses.isTrialDue], [true, true]);
  uses.recordRequest();
  assert.equal(uses.isTrialDue, false);
  uses.recordResponse();
  assert.equal(uses.isSingleUse, false);
});

test('a trial that costs the link is followed by others only after sixteen more', () => {
  const uses = new SingleUseLinkDetector();
  lose(uses, 1);
  lose(uses, 1);
  for (let count = 0; count < 16; count += 1) {
    isUsedUpAfterOne(uses);
    uses.recordClosed(true);
  }
  isUsedUpAfterOne(uses);
  uses.recordRequest();
  uses.recordLoss();
  assert.deepEqual([isUsedUpAfterOne(uses), uses.isTrialDue], [true, false]);
});
