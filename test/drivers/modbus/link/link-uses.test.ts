import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LinkUses } from '../../../../drivers/modbus/link/link-uses.ts';

/** Opens a link, counts the given number of answers and loses it. */
function lose(uses: LinkUses, answers: number): void {
  uses.noteOpen();
  for (let count = 0; count < answers; count += 1) uses.noteAnswer();
  uses.noteLoss();
}

function isUsedUpAfterOne(uses: LinkUses): boolean {
  uses.noteOpen();
  uses.noteAnswer();
  return uses.isUsedUp;
}

test('a link is used up by its first answer when two before it were lost after theirs', () => {
  const uses = new LinkUses();
  lose(uses, 1);
  assert.equal(isUsedUpAfterOne(uses), false);
  uses.noteLoss();
  assert.equal(isUsedUpAfterOne(uses), true);
});

test('a link that brought nothing yet is not used up', () => {
  const uses = new LinkUses();
  lose(uses, 1);
  lose(uses, 1);
  uses.noteOpen();
  assert.equal(uses.isUsedUp, false);
});

test('a link that brings several answers shows that the device does not close after each', () => {
  const uses = new LinkUses();
  lose(uses, 1);
  lose(uses, 2);
  lose(uses, 1);
  assert.equal(isUsedUpAfterOne(uses), false);
});

test('several requests that tell of the same loss count once', () => {
  const uses = new LinkUses();
  lose(uses, 1);
  uses.noteLoss();
  assert.equal(isUsedUpAfterOne(uses), false);
});
