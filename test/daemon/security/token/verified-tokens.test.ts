import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Claims } from '../../../../daemon/security/token/claims.ts';
import { VerifiedTokens } from '../../../../daemon/security/token/verified-tokens.ts';

const MEBI = 2 ** 20;

function createClaims(sub: string): Claims {
  return {
    iss: 'plant',
    sub,
    jti: undefined,
    exp: 2,
    issuedByMs: 0,
    validFromMs: 1000,
    validUntilMs: 2000,
    generation: undefined,
    isOwn: false,
  };
}

test('a token is known within its period of validity, and forgotten at its end', () => {
  const tokens = new VerifiedTokens();
  tokens.remember('a', createClaims('pump'), 2000);
  assert.equal(tokens.find('a', 999), undefined);
  assert.equal(tokens.find('a', 1000)?.sub, 'pump');
  assert.equal(tokens.find('b', 1000), undefined);
  assert.equal(tokens.find('a', 2000), undefined);
  // Also when the clock is set back.
  assert.equal(tokens.find('a', 1500), undefined);
});

test('a mebi of characters is remembered; beyond it, the tokens that were verified first are forgotten', () => {
  const tokens = new VerifiedTokens();
  const [first, second, third] = ['a', 'b', 'c'].map((letter) => letter.repeat(MEBI / 2)) as [
    string,
    string,
    string,
  ];
  // Twice the same counts once, and renews its place.
  for (const text of [first, second, first]) tokens.remember(text, createClaims(text.slice(0, 1)), 2000);
  assert.ok(tokens.find(second, 1000));
  tokens.remember(third, createClaims('c'), 2000);
  assert.equal(tokens.find(second, 1000), undefined);
  assert.equal(tokens.find(first, 1000)?.sub, 'a');
  assert.equal(tokens.find(third, 1000)?.sub, 'c');
});

test('room is free again after a token has ended, and after all were forgotten', () => {
  const tokens = new VerifiedTokens();
  const [first, second] = ['a', 'b'].map((letter) => letter.repeat(MEBI)) as [string, string];
  tokens.remember(first, createClaims('a'), 2000);
  assert.equal(tokens.find(first, 2000), undefined);
  tokens.remember(second, createClaims('b'), 3000);
  assert.ok(tokens.find(second, 1000));
  tokens.clear();
  assert.equal(tokens.find(second, 1000), undefined);
  tokens.remember(first, createClaims('a'), 2000);
  assert.ok(tokens.find(first, 1000));
});
