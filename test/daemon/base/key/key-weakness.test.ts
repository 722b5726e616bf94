import assert from 'node:assert/strict';
import { checkPrimeSync, createPublicKey, generateKeyPairSync, generatePrimeSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { test } from 'node:test';

import { findKeyWeakness } from '../../../../daemon/base/key/key-weakness.ts';
import { getRocaKey, makeEd25519Key, makeInfinityKey, makeRsaKey } from '../../../support/weak-keys.ts';

const ED25519_PRIME = 2n ** 255n - 19n;
const SIGN_OF_X = 2n ** 255n;
const makePrime = (bits: number): bigint => generatePrimeSync(bits, { bigint: true });

function makeSoundModulus(): bigint {
  const { n = '' } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
  return BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`);
}

function makeCloseModulus(): bigint {
  // The two highest bits are set, so that the product has twice the bits.
  const one = makePrime(1024);
  let other = one + 2n;
  while (!checkPrimeSync(other)) other += 2n;
  return one * other;
}

function assertWeak(key: KeyObject, reason: RegExp): void {
  assert.match(findKeyWeakness(key) ?? 'nothing against it', reason);
}

test('findKeyWeakness has nothing against keys as they are made today', () => {
  const sound = [
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
    generateKeyPairSync('rsa', { modulusLength: 3072 }),
    generateKeyPairSync('rsa-pss', { modulusLength: 2048 }),
    ...['prime256v1', 'secp384r1', 'secp521r1', 'brainpoolP256r1'].map((namedCurve) =>
      generateKeyPairSync('ec', { namedCurve }),
    ),
    ...Array.from({ length: 50 }, () => generateKeyPairSync('ed25519')),
    generateKeyPairSync('ed448'),
  ];
  for (const { publicKey } of sound) assert.equal(findKeyWeakness(publicKey), undefined);
  assert.equal(findKeyWeakness(makeRsaKey(makeSoundModulus())), undefined);
});

test('findKeyWeakness finds RSA keys that are too short or too long', () => {
  assertWeak(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey, /has 1024 bits/);
  assertWeak(makeRsaKey(makePrime(1024) * makePrime(1023)), /has 204[67] bits/);
  assertWeak(generateKeyPairSync('rsa-pss', { modulusLength: 1024 }).publicKey, /has 1024 bits/);
  assertWeak(makeRsaKey(2n ** 8192n + 1n), /has 8193 bits/);
});

test('findKeyWeakness finds RSA exponents that are even or below 65537', () => {
  const modulus = makeSoundModulus();
  for (const exponent of [1n, 2n, 3n, 17n, 65_535n, 65_538n, 2n ** 256n + 1n]) {
    assertWeak(makeRsaKey(modulus, exponent), /exponent/);
  }
  assert.equal(findKeyWeakness(makeRsaKey(modulus, 65_539n)), undefined);
});

test('findKeyWeakness finds moduli that are even, have a small factor, or are prime', () => {
  const modulus = makeSoundModulus();
  assertWeak(makeRsaKey(modulus - 1n), /divisible by 2$/);
  assertWeak(makeRsaKey(makePrime(2045) * 11n), /divisible by 11$/);
  assertWeak(makeRsaKey(makePrime(2040) * 751n), /divisible by 751$/);
  assertWeak(makeRsaKey(makePrime(2048)), /prime number/);
});

test('findKeyWeakness finds moduli of primes that are close to each other', () => {
  assertWeak(makeRsaKey(makeCloseModulus()), /close/);
  assertWeak(makeRsaKey(makePrime(1024) ** 2n), /close/);
});

test('findKeyWeakness finds keys of CVE-2017-15361', () => {
  assertWeak(getRocaKey(), /CVE-2017-15361/);
});

test('findKeyWeakness finds curves that are small, unknown or spelt out, and the point at infinity', () => {
  for (const namedCurve of ['secp112r1', 'secp160r1', 'prime192v1', 'sect163k1', 'brainpoolP192r1']) {
    assertWeak(generateKeyPairSync('ec', { namedCurve }).publicKey, /is on the curve/);
  }
  const explicit = { namedCurve: 'prime256v1', paramEncoding: 'explicit' } as const;
  assertWeak(generateKeyPairSync('ec', explicit).publicKey, /explicit curve/);
  assertWeak(makeInfinityKey(), /infinity/);
});

test('a point that is not on its curve is no key', () => {
  const coordinate = Buffer.alloc(32, 1).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: coordinate, y: coordinate };
  assert.throws(() => createPublicKey({ key: jwk, format: 'jwk' }));
});

test('findKeyWeakness finds Ed25519 points of small order, however they are written', () => {
  // The order of each point is checked by doubling: y of 2P is (y² + x²) / (2 + x² - y²), with x² = (y² - 1) / (dy² + 1).
  const order8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
  assert.equal(doubleY(order8), 0n);
  for (const y of [0n, 1n, order8, ED25519_PRIME - order8, ED25519_PRIME - 1n, ED25519_PRIME]) {
    assertWeak(makeEd25519Key(y), /small order/);
    assertWeak(makeEd25519Key(y + SIGN_OF_X), /small order/);
  }
});

test('findKeyWeakness finds kinds of keys that do not sign, and DSA', () => {
  assertWeak(generateKeyPairSync('x25519').publicKey, /type x25519/);
  assertWeak(generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }).publicKey, /type dsa/);
});

/** Returns the y of twice a point on edwards25519 (RFC 8032, 5.1.4). */
function doubleY(y: bigint): bigint {
  const d = mod(-121_665n * invert(121_666n));
  const y2 = mod(y * y);
  const x2 = mod((y2 - 1n) * invert(d * y2 + 1n));
  return mod((y2 + x2) * invert(mod(2n + x2 - y2)));
}

function mod(number: bigint): bigint {
  return ((number % ED25519_PRIME) + ED25519_PRIME) % ED25519_PRIME;
}

function invert(number: bigint): bigint {
  let [result, square] = [1n, mod(number)];
  for (let rest = ED25519_PRIME - 2n; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}
