import { checkPrimeSync } from 'node:crypto';

const MINIMUM_BITS = 2048;
// Each verification costs the square of the length: at 8192 bits a fraction of a millisecond.
const MAXIMUM_BITS = 8192;
// FIPS 186-5, A.1.1.
const MINIMUM_EXPONENT = 65_537n;
const MAXIMUM_EXPONENT = 2n ** 256n;
// NIST SP 800-89, 5.3.3: no factor smaller than 752.
const SMALL_FACTORS = listPrimes(752);
// The primes whose product makes up M for keys of 512 bits, the shortest (Nemec et al., The Return of Coppersmith's
// Attack, 2.2); M of longer keys has further ones.
const ROCA_PRIMES = SMALL_FACTORS.filter((prime) => prime > 2 && prime <= 167);
// CA/Browser Forum, Baseline Requirements, 6.1.1.3.
const CLOSE_PRIME_ROUNDS = 100;

/**
 * Finds out why an RSA key must not be relied on.
 *
 * @returns words that continue "the key", undefined when there is nothing against it
 */
export function findRsaWeakness(modulus: bigint, exponent: bigint): string | undefined {
  const bits = modulus.toString(2).length;
  if (bits < MINIMUM_BITS || bits > MAXIMUM_BITS) {
    return `has ${bits} bits; expected RSA of ${MINIMUM_BITS} to ${MAXIMUM_BITS} bits`;
  }
  if (exponent < MINIMUM_EXPONENT || exponent >= MAXIMUM_EXPONENT || exponent % 2n === 0n) {
    return `has an unsafe RSA exponent; expected an odd one from ${MINIMUM_EXPONENT} on`;
  }
  const factor = SMALL_FACTORS.find((prime) => modulus % BigInt(prime) === 0n);
  if (factor !== undefined) return `has an RSA modulus that ${factor} divides`;
  if (isOfRocaForm(modulus))
    return 'was made by a defective library and can be computed (CVE-2017-15361, ROCA)';
  if (hasClosePrimes(modulus)) return 'has an RSA modulus of two primes that are close to each other';
  if (checkPrimeSync(modulus)) return 'has an RSA modulus that is a prime number';
  return undefined;
}

/** Returns whether the modulus is a power of 65537 by each prime: by chance, one in some hundred million moduli is. */
function isOfRocaForm(modulus: bigint): boolean {
  return ROCA_PRIMES.every((prime) => {
    const wanted = Number(modulus % BigInt(prime));
    for (let power = 1; ;) {
      if (power === wanted) return true;
      power = (power * 65_537) % prime;
      if (power === 1) return false;
    }
  });
}

/** Factorizes as Fermat did, for a number of rounds. */
function hasClosePrimes(modulus: bigint): boolean {
  let middle = findRoot(modulus);
  if (middle * middle < modulus) middle += 1n;
  let rest = middle * middle - modulus;
  for (let round = 0; round < CLOSE_PRIME_ROUNDS; round += 1) {
    if (isSquare(rest)) return true;
    rest += 2n * middle + 1n;
    middle += 1n;
  }
  return false;
}

function isSquare(number: bigint): boolean {
  // Squares end in these four bits only; the root is the costly part.
  if (![0n, 1n, 4n, 9n].includes(number & 15n)) return false;
  return findRoot(number) ** 2n === number;
}

/** Returns the integer part of the square root, by Newton's method from above. */
function findRoot(number: bigint): bigint {
  if (number < 2n) return number;
  let root = 1n << BigInt(Math.ceil(number.toString(2).length / 2));
  for (;;) {
    const next = (root + number / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

function listPrimes(below: number): readonly number[] {
  const numbers = Array.from({ length: below - 2 }, (_, index) => index + 2);
  return numbers.filter((number) => numbers.every((divisor) => divisor >= number || number % divisor !== 0));
}
